"""What a training run is made of: strict models of the TOML config, one class a section.

An unknown key or a wrong value is an error. Reading the file and saying the error in one line is `training/config_file.py`;
here stand the names, meanings, defaults and allowed ranges. The recipe behind the defaults is shared/strength.md.

A *decision* is a learnt row everywhere: a decision of a learning seat with two and more legal actions.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from training.registry import check_algorithm

Share = Annotated[float, Field(ge=0.0, le=1.0)]
Positive = Annotated[float, Field(gt=0.0)]
NonNegative = Annotated[float, Field(ge=0.0)]
Count = Annotated[int, Field(ge=1, le=10**12)]
Layers = Annotated[int, Field(ge=1, le=64)]
Width = Annotated[int, Field(ge=1, le=65_536)]
OptionValue = bool | int | str


def _odd(value: int) -> int:
    """The number, if it is odd. Raises ValueError."""
    if value % 2 == 0:
        raise ValueError(f"is {value}; it must be odd, so that zero is a bin")
    return value


class Section(BaseModel):
    """A section of the config: unknown keys are errors, values are not converted silently, instances do not change."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True, allow_inf_nan=False)


class RunSection(Section):
    """[run] Name, seed and how long. The run ends with the budget that is used up first; schedules follow that budget."""

    name: Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[A-Za-z0-9._-]+$")] = "run"
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 1
    algorithm: Annotated[str, AfterValidator(check_algorithm)] = "ppo"
    """A name in training/registry.py."""
    iterations: Count | None = None
    """Iterations (one sample and one update each)."""
    decisions: Count | None = None
    """Decisions learnt from."""
    deals: Count | None = None
    """Deals played."""
    hours: Positive | None = None
    """Hours of wall time, all parts of a resumed run together. Schedules then follow the clock: such a run does not repeat bit for bit."""

    def used(self, iteration: float, decisions: float, deals: float, hours: float) -> float:
        """Share of the budget that a run which came so far has used up, 0..1."""
        spent = ((iteration, self.iterations), (decisions, self.decisions), (deals, self.deals), (hours, self.hours))
        return float(min(1.0, max(used / budget for used, budget in spent if budget is not None)))

    @property
    def unit(self) -> str:
        """What progress is counted in: the first budget that is a count, else thousandths of the hours."""
        return next((unit for unit in ("iterations", "deals", "decisions") if getattr(self, unit) is not None), "thousandths")

    @model_validator(mode="after")
    def _some_budget(self) -> RunSection:
        if self.iterations is None and self.decisions is None and self.deals is None and self.hours is None:
            raise ValueError("run: set at least one of iterations, decisions, deals, hours")
        return self


class RulesSection(Section):
    """[rules] What is played; several systems share the deals evenly and one network plays them all."""

    systems: Annotated[tuple[str, ...], Field(min_length=1)] = ("juegatu",)
    options: dict[str, dict[str, OptionValue]] = {}
    """Options of a system by its id: `[rules.options.juegatu]` `bonus_scale = 1`."""

    @model_validator(mode="after")
    def _options_of_played_systems(self) -> RulesSection:
        if len(set(self.systems)) < len(self.systems):
            raise ValueError("rules.systems: a system stands there twice")
        for system in self.options:
            if system not in self.systems:
                raise ValueError(f"rules.options.{system}: {system} is not in rules.systems")
        return self


class NetworkSection(Section):
    """[network] The actor (own observation only) and the separate critic."""

    layers: Layers = 3
    width: Width = 512
    critic_layers: Layers = 2
    critic_width: Width = 256
    privileged_critic: bool = True
    """The critic sees the hidden cards too; false: the own observation only, as an ablation."""
    q_head: bool = True
    """Value of every action from the own observation, for the graded levels."""
    value_bins: Annotated[int, Field(ge=3, le=65_537), AfterValidator(_odd)] = 129
    """Bins of the two-hot value distribution over symlog(payoff); odd, so that zero is a bin."""
    value_limit: Positive = 20_000.0
    """Largest payoff in points that the bins hold."""


class PpoSection(Section):
    """[ppo] The loss.

    A pair `x`, `final_x` moves from the first to the second over the run: learning rate, clip and lambda in a straight line, the
    rest geometrically.
    """

    learning_rate: Positive = 3e-4
    final_learning_rate: Positive = 1e-5
    clip: Annotated[float, Field(gt=0.0, lt=1.0)] = 0.2
    final_clip: Annotated[float, Field(gt=0.0, lt=1.0)] = 0.1
    epochs: Count = 1
    minibatch_size: Count = 8192
    gamma: Share = 1.0
    lambda_: Annotated[Share, Field(alias="lambda")] = 0.95
    final_lambda: Share = 0.98
    grad_norm: Positive = 0.5
    entropy: NonNegative = 0.03
    final_entropy: NonNegative = 0.003
    """Weight of the entropy, which is divided by the log of the number of legal actions."""
    bid_entropy: NonNegative = 0.01
    """The entropy weight of auction rows never falls below this: solos must stay in play."""
    exchange_entropy: NonNegative = 0.01
    """The same for calls, talon and discards: an action that is never tried is never learnt, whatever it would bring."""
    teacher_bids: NonNegative = 0.0
    final_teacher_bids: NonNegative = 0.0
    """Weight of the cross-entropy to what `imitation.teacher` would bid, announce or double, in every such row of self-play: what has
    died out is tried again, and stays where it pays."""
    magnet: NonNegative = 0.05
    final_magnet: NonNegative = 0.005
    """Weight of KL(policy || magnet), the magnet being a slowly moving copy of the actor."""
    magnet_rate: Annotated[float, Field(gt=0.0, le=1.0)] = 0.05
    """Share of the way that the magnet moves towards the actor after each iteration."""
    endgame_tricks: Annotated[int, Field(ge=0, le=4)] = 3
    """In this many last tricks a row teaches about all its cards, by what each comes to with open cards, instead of about the one
    that was played; 0 for none."""
    endgame_weight: Positive = 4.0
    """Weight of these rows: all cards and exact values make for little noise beside a row that knows one card's outcome."""
    q_weight: NonNegative = 0.5
    value_weight: NonNegative = 0.5
    advantage_limit: Positive = 5.0
    """Normalised advantages are cut off at this many standard deviations."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True, allow_inf_nan=False, populate_by_name=True)

    @property
    def asks_teacher(self) -> bool:
        """Whether the teacher's bids count in self-play."""
        return max(self.teacher_bids, self.final_teacher_bids) > 0


class DmcSection(Section):
    """[dmc] Deep Monte-Carlo (`run.algorithm = "dmc"`).

    Its optimiser takes learning rates, epochs, minibatches and norm from [ppo].
    """

    epsilon: Share = 0.05
    final_epsilon: Share = 0.01
    """Share of the decisions that are taken at random among the legal actions, in a straight line over the run."""


class SamplingSection(Section):
    """[sampling] How experience is made."""

    deals_in_lockstep: Annotated[int, Field(ge=8, le=1_000_000)] = 2048
    """Deals that every env runner plays at once."""
    decisions_per_iteration: Annotated[int, Field(ge=64, le=10**9)] = 131_072
    """Sampled by all env runners together before an update; a runner overshoots by less than one deal for each deal in lockstep."""
    forced_contracts: Share = 0.25
    """Share of the deals whose auction is played out to a random suitable contract, so that rare contracts are learnt too."""


class ImitationSection(Section):
    """[imitation] A short start in which a bot plays all seats and the actor learns to play like it; self-play follows."""

    teacher: str = "rule"
    iterations: Annotated[int, Field(ge=0)] = 0
    """Iterations at the start; 0: none, the run learns from self-play alone."""
    smoothing: Annotated[float, Field(ge=0.0, lt=1.0)] = 0.1
    """Probability that the target spreads evenly over the legal actions: self-play must still explore afterwards."""


class PoolSection(Section):
    """[pool] Past selves as opponents."""

    share: Share = 0.2
    """Share of the deals in which snapshots sit in one or two seats (they are not learnt from)."""
    every: Count = 10
    """Iterations between snapshots."""
    size: Count = 40
    """Snapshots kept in play; when full, a random one leaves the draw (its file stays)."""
    drawn: Count = 2
    """Different snapshots that an env runner plays against at a time."""


class ExploitSection(Section):
    """[exploit] Instead of self-play, one seat learns against one frozen bot in all other seats; `tarock exploit` fills this in."""

    target: str | None = None
    """The frozen bot's name, `rule` or `file:PATH`; none: self-play."""
    critic_iterations: Annotated[int, Field(ge=0)] = 0
    """Iterations at the start in which the critic alone learns and the actor stands still."""


class EvaluationSection(Section):
    """[evaluation] Points a deal against fixed opponents on fixed duplicate deals, while training."""

    every: Annotated[int, Field(ge=0)] = 25
    """Iterations between evaluations; 0: only at the end."""
    deals: Annotated[int, Field(ge=2)] = 512
    final_deals: Annotated[int, Field(ge=2)] = 2048
    opponents: tuple[str, ...] = ("random", "rule")
    seed: Annotated[int, Field(ge=0)] = 7
    """Seed of the deals: the same at every evaluation."""


class ResourcesSection(Section):
    """[resources] Where it runs; scaling out is RLlib's."""

    num_env_runners: Annotated[int, Field(ge=0, le=10_000)] = 0
    """0: sampling in the main process."""
    num_learners: Annotated[int, Field(ge=0, le=10_000)] = 0
    """0: learning in the main process."""
    gpus_per_learner: NonNegative = 0
    ray_address: str | None = None
    """Address of a Ray cluster, or none for this machine alone."""
    precision: Literal["auto", "bf16", "fp32"] = "auto"
    """auto: bf16 where the processor multiplies it natively, else fp32."""
    threads: Annotated[int, Field(ge=0)] = 0
    """Torch threads; 0: as many as there are cores for this process."""


class CheckpointSection(Section):
    """[checkpoint] What `--resume` continues from; always written at the end and when interrupted."""

    every: Count = 10
    """Iterations between checkpoints."""
    keep: Count = 3
    """Newest checkpoints kept."""
    warm_start: str | None = None
    """An exported actor and critic file to start from."""


class TrainConfig(Section):
    """A whole training run."""

    run: RunSection
    rules: RulesSection = RulesSection()
    network: NetworkSection = NetworkSection()
    ppo: PpoSection = PpoSection()
    dmc: DmcSection = DmcSection()
    sampling: SamplingSection = SamplingSection()
    imitation: ImitationSection = ImitationSection()
    pool: PoolSection = PoolSection()
    exploit: ExploitSection = ExploitSection()
    evaluation: EvaluationSection = EvaluationSection()
    resources: ResourcesSection = ResourcesSection()
    checkpoint: CheckpointSection = CheckpointSection()
