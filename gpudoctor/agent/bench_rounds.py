"""Times all benchmark cases in rounds within a time budget, so that a change of the machine shows.

A case is run as `run(count)`: do it `count` times, and come back when the device has finished.
"""

import time

from agent_channel import Skip

ROUNDS = 3
#: Seconds. A sample lasts at least this long, by doing the thing more than once: clocks and schedulers are coarse.
SAMPLE = 0.01
#: Of each case in each round.
LEAST_SAMPLES, MOST_SAMPLES = 2, 25
#: A case gets at least this much time in a round; where there is less for each, the last ones are left out.
LEAST_SLOT = 0.08
#: Before the first sample of a case: so many times, or so many seconds, whichever is over first (but once).
WARM_CALLS, WARM_SECONDS = 3, 0.05
#: The share of the budget that one repetition may take. One that takes longer is left out.
MOST_OF_BUDGET = 0.01
#: So many cases in a row that fail: the device is gone.
MOST_FAILURES = 3
PART_SAMPLES = 5
#: Of the measurements that were left out for one reason, so many are named.
NAMED = 4


class Measured:
    """The samples of one case: seconds, by round; and its parts."""

    def __init__(self):
        self.rounds = []
        self.parts = {}

    def timing(self):
        """As the fact has it."""
        samples = sorted(sample for one in self.rounds for sample in one)
        return {
            "median": quantile(samples, 0.5),
            "p20": quantile(samples, 0.2),
            "p80": quantile(samples, 0.8),
            "repeats": len(samples),
            "rounds": [quantile(sorted(one), 0.5) for one in self.rounds],
        }


def quantile(values, share):
    """The value below which that share of the sorted `values` lies, between neighbours by weight."""
    place = share * (len(values) - 1)
    low = int(place)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (place - low)


def timed(run, count):
    """Seconds of one of `count` repetitions."""
    began = time.perf_counter()
    run(count)
    return (time.perf_counter() - began) / count


class Budget:
    """The time there is until `deadline` (of time.perf_counter), shared by rounds and cases."""

    def __init__(self, deadline):
        self.deadline = deadline
        self.whole = max(0.0, deadline - time.perf_counter())

    @property
    def left(self):
        """Seconds."""
        return self.deadline - time.perf_counter()

    def slot(self, round_number, place, count):
        """Seconds for the case at `place` of `count`, in this round: what is left, divided by what is still to come."""
        rounds = ROUNDS - round_number
        of_round = self.left / rounds if place == 0 else self._round_end - time.perf_counter()
        if place == 0:
            self._round_end = time.perf_counter() + of_round
        return max(0.0, min(of_round / (count - place), self.left))


class Rounds:
    """Measures cases. `subject.runners(case)` gives {"time": run, …}; `tell(case, measured)` tells a result."""

    def __init__(self, channel, subject, tell):
        self.channel = channel
        self.subject = subject
        self.tell = tell
        self.measured = {}
        self.runners = {}
        self.rates = {}
        self.left_out = []
        #: By kind, the most seconds that one took until its first sample: compilers take theirs.
        self.longest_start = {}

    def measure(self, cases, budget):
        """As many cases as there is time for, in up to three rounds. Says what was left out."""
        fitting = max(3, int(budget.whole / ROUNDS / LEAST_SLOT))
        self.left_out += [(case, "no time was left") for case in cases[fitting:]]
        remaining = list(cases[:fitting])
        for number in range(ROUNDS):
            remaining = self._round(remaining, budget, number)
        self._say_left_out()

    def _round(self, cases, budget, number):
        done, failures = [], 0
        for place, case in enumerate(cases):
            slot = budget.slot(number, place, len(cases))
            reason = self._reason_against(case, budget, number)
            if reason is None:
                try:
                    self._one(case, slot, number, budget.deadline)
                except Skip as said:
                    reason, failures = str(said), 0
                except Exception as error:
                    reason, failures = "{}: {}".format(type(error).__name__, str(error).strip()[:200]), failures + 1
                else:
                    failures = 0
                    done.append(case)
            if reason is not None and number == 0:
                self.left_out.append((case, reason))
            if failures >= MOST_FAILURES:
                self.channel.fact("note", text="stopped after {} failures in a row: {}".format(failures, reason))
                self.left_out += [(one, "stopped") for one in cases[place + 1 :] if number == 0]
                break
        return done

    def _reason_against(self, case, budget, number):
        if budget.left <= (self.longest_start.get(case.kind, 0) if number == 0 else 0):
            return "no time was left"
        places = {case.device, "cpu"} if case.of_host_too else {case.device}
        if case.memory > min(self.subject.memory(place) for place in places):
            return "too large for the memory that is free"
        known = self.measured.get(case)
        rate = self.rates.get(case.group)
        once = known.timing()["median"] if known else case.work / rate if rate else 0.0
        if once > budget.left or (number == 0 and once > max(MOST_OF_BUDGET * budget.whole, LEAST_SLOT)):
            return "too slow for the time there is"
        return None

    def _one(self, case, slot, number, deadline):
        with self.channel.stage(case.name if number == 0 else "{} ({})".format(case.name, number + 1)) as end:
            began = time.perf_counter()
            if number == 0:
                self.runners[case] = self.subject.runners(case)
                self.measured[case] = Measured()
            measured, run = self.measured[case], self.runners[case]["time"]
            once = warm(run)
            start = time.perf_counter() - began
            self.longest_start[case.kind] = max(start, self.longest_start.get(case.kind, 0))
            samples = take(run, once, slot, deadline)
            measured.rounds.append(samples)
            if number == 0:
                self.rates[case.group] = case.work / quantile(sorted(samples), 0.5)
                self._time_parts(case, slot, deadline)
            end["detail"] = "{:.3g} ms".format(measured.timing()["median"] * 1000)
        self.tell(case, measured)

    def _time_parts(self, case, slot, deadline):
        """Where the time goes: each part a few times, if the whole leaves time for it."""
        for part, run in self.runners[case].items():
            if part != "time" and self.measured[case].rounds[0][0] < slot and time.perf_counter() < deadline:
                samples = take(run, timed(run, 1), slot / 4, deadline, most=PART_SAMPLES)
                self.measured[case].parts[part] = quantile(sorted(samples), 0.5)

    def _say_left_out(self):
        """One line a reason."""
        by_reason = {}
        for case, reason in self.left_out:
            by_reason.setdefault(reason, []).append(case.name)
        for reason, names in by_reason.items():
            more = " and {} more".format(len(names) - NAMED) if len(names) > NAMED else ""
            self.channel.fact("note", text="left out ({}): {}{}".format(reason, ", ".join(names[:NAMED]), more))


def take(run, once, seconds, deadline, most=MOST_SAMPLES):
    """Samples for that many seconds, of a thing that takes `once`; at least two before the deadline."""
    count = enough(run, once) if once < SAMPLE else 1
    until = time.perf_counter() + seconds
    samples = []
    while not samples or (len(samples) < most and time.perf_counter() + samples[-1] * count < until):
        samples.append(timed(run, count))
    while len(samples) < LEAST_SAMPLES and time.perf_counter() < deadline:
        samples.append(timed(run, count))
    return samples


def enough(run, once):
    """How many repetitions make a sample. Queued on a device, many take much less than as many times one."""
    count = int(SAMPLE / once) + 1
    took = timed(run, count) * count
    return count if took > SAMPLE / 2 else int(count * SAMPLE / took) + 1


def warm(run):
    """Run until caches, clocks and lazy loading have settled; seconds of the last repetition."""
    began = time.perf_counter()
    for _ in range(WARM_CALLS):
        once = timed(run, 1)
        if time.perf_counter() - began > WARM_SECONDS:
            break
    return once
