"""Random numbers: generators, random variables, and the one generator that everything else draws from."""

from __future__ import annotations

from ackclock._native import RandomStream
from ackclock.ns2.bindings.tcl_object import NotYet, NsError, method, ns2_class, variant
from ackclock.ns2.library.core.engine import EngineObject, real, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ackclock import _native


@ns2_class("RNG")
class Rng(EngineObject):
    """A random-number generator: a stream of its own, or the default one."""

    native: _native.SimulationStream
    #: RNG numbers are whole, below this
    most = 0x7FFFFFFF

    def create(self, *args: str) -> None:
        self.stand_for(self.engine.add_stream())

    def stand_for(self, native: _native.SimulationStream) -> None:
        """The generator with this stream of the engine's."""
        self.native = native
        self.vars["z2"] = "0"

    @method()
    def seed(self, *words: str) -> str | None:
        """Seed the stream (0 and words: by chance), or tell the seed."""
        if not words:
            return str(self.native.state()[0])
        if words[0] == "predef":
            raise NotYet("ns-2 has a table of predefined seeds; ackclock has not")
        try:
            number = whole(words[-1], "a seed")
        except NsError:
            number = 0
        if words[0] == "heuristic" or number == 0:
            self.interp.warn(f"`seed {' '.join(words)}` gives other numbers at every run")
            import secrets  # what it loads would make every start slower

            number = 1 + secrets.randbelow(self.most - 1)
        if not 0 < number < self.most:
            raise NsError(f"a seed is a whole number from 1 to {self.most - 1}, not {number}")
        self.native.seed(number)
        return None

    @method()
    def test(self) -> None:
        """ns-2's own test: numbers of two seeds, into the file temp.rands."""
        with open(self.interp.file("temp.rands"), "w", encoding="ascii") as file:
            for title in ("default: ", "predef source  1: "):
                numbers = RandomStream.sample(188312339, 100, 1_000_000, 5_000_000)
                file.write(title + "".join(f"{number:10d} " for number in numbers) + "\n")

    @method("next-random")
    def next_random(self) -> int:
        """A whole number below 2^31."""
        return self.native.whole()

    @method("next-substream")
    def next_substream(self) -> None:
        """Go to the start of the next substream."""
        self.native.next_substream()

    @method("reset-start-substream")
    def reset_start_substream(self) -> None:
        """Go back to the start of this substream."""
        self.native.restart_substream()

    @method("all-seeds")
    def all_seeds(self) -> str:
        """The six numbers of the state."""
        return " ".join(map(str, self.native.state()))

    @method()
    def default(self) -> None:
        """Only the generator that is the default one already can be it."""
        if self.native.number != 0:
            raise NsError("another default generator is not possible: seed $defaultRNG instead")

    @method()
    def uniform(self, low: str, high: str) -> str:
        """A number between two, from 31 random bits."""
        return self.interp.call("expr", f"{low} + (({high} - {low}) * ({self.call('next-random')} * 1.0 / 0x7fffffff))")

    @method()
    def integer(self, below: str) -> str:
        """A whole number from 0 on, below another."""
        return self.interp.call("expr", f"{self.call('next-random')} % abs({below})")

    @method()
    def exponential(self, mean: str = "1.0") -> str:
        """A number of an exponential distribution."""
        drawn = self.call("next-random")
        return self.interp.call("expr", f"- {mean} * log(({drawn} + 1.0) / (0x7fffffff + 1.0))")

    @method()
    def normal(self, mean: str, deviation: str) -> str:
        """A number of a normal distribution, six digits."""
        value = self.native.normal(real(mean, "a mean"), real(deviation, "a deviation"))
        return f"{value:g}"

    @method()
    def lognormal(self, mean: str, deviation: str) -> str:
        """A number whose logarithm has a normal distribution, six digits."""
        import math

        value = self.native.normal(real(mean, "a mean"), real(deviation, "a deviation"))
        return f"{math.exp(value):g}"


@ns2_class("RandomVariable")
class RandomVariable(EngineObject):
    """A distribution."""

    kind = ""
    native: _native.RandomVariable

    def create(self, *args: str) -> None:
        if not self.kind:
            raise NsError("a RandomVariable alone has no distribution; make one of its subclasses")
        self.native = self.engine.add_random_variable(self.kind)

    def engine_get(self, name: str) -> float:
        return self.native.param(name)

    def engine_set(self, name: str, value: float) -> None:
        self.native.set_param(name, value)

    @method("use-rng")
    def use_rng(self, generator: str) -> None:
        """Draw from this generator."""
        peer = self.interp.peer_of(generator, Rng, "RNG")
        self.native.set_stream(peer.native)

    @method()
    def value(self) -> str:
        """The next value, six digits after the point or with an exponent."""
        return f"{self.native.draw():6e}"

    @method()
    def test(self, count: str) -> None:
        """Print this many values."""
        for _ in range(whole(count, "a count")):
            self.interp.call("puts", "stdout", self.call("value"))

    @method("loadCDF")
    def load_cdf(self, file: str) -> None:
        """Read a cumulative distribution: value, count and probability on each line."""
        if self.kind != "empirical":
            raise NsError(f"{self.class_name} {self.handle} has no table to load")
        table = []
        with open(self.interp.file(file), encoding="utf-8") as content:
            lines = content.read().splitlines()
        for line in lines:
            words = line.split()
            if len(words) >= 3:
                table.append((float(words[2]), float(words[0])))
        self.native.set_table(table)


for _name, _kind in {
    "Uniform": "uniform",
    "Exponential": "exponential",
    "Erlang": "erlang",
    "Gamma": "gamma",
    "Pareto": "pareto",
    "ParetoII": "pareto_ii",
    "Normal": "normal",
    "LogNormal": "log_normal",
    "Constant": "constant",
    "HyperExponential": "hyper_exponential",
    "Weibull": "weibull",
    "Empirical": "empirical",
}.items():
    variant(f"RandomVariable/{_name}", RandomVariable, kind=_kind)
