import sys

from tests.campaign.running import SCRIPTS

if str(SCRIPTS) not in sys.path:
    sys.path.append(str(SCRIPTS))
