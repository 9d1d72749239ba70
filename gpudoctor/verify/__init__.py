"""Whether commands do what they are meant to, on a machine: judged before anybody runs them. Pure."""
