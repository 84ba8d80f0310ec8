# SPDX-License-Identifier: Apache-2.0
"""What is measured, and the figures to reach. Everything the runner knows about single problems stands in this package."""

from runner.goals import MeanOfRows
from runner.plan.accumulators import nas_cg, producer_consumer, spectral_norm, stencil_p2p, syncbench
from runner.plan.arrays import array_costs, ghost_update, point_cost
from runner.plan.flows import lattice_boltzmann
from runner.plan.imsuite import imsuite, xrx
from runner.plan.lock_step import lockstep
from runner.plan.placement import uts_places
from runner.plan.placement_programs import busy_victim, label_costs, quicksort, replay, turing_ring
from runner.plan.places import many_places, messages, place_calls, serialise
from runner.plan.ranks import rank_messages, rank_start
from runner.plan.resources import census, growth, idle, memory, stack_limit, timeline
from runner.plan.suites import jgf_applications, jgf_kernels, nas_cg_policies, sor_steps
from runner.plan.tasks import escaping_tree, fib, flat, nqueens, spanning_tree, uts

# Sections that run only when named, or with --all or --full, and why.
BY_NAME_ONLY = {
    **dict.fromkeys(("ghost_update", "lattice_boltzmann", "point_cost", "array_costs", "many_places", "rank_messages",
                     "rank_start", "uts_places", "quicksort", "turing_ring", "label_costs", "busy_victim", "replay", "uts", "nqueens", "stack_limit",
                     "jgf_series", "jgf_lufact", "jgf_sor", "jgf_crypt", "jgf_sparse", "nas_mg",
                     "jgf_moldyn", "jgf_raytracer", "jgf_montecarlo"),
                    "the default set has no time left below its cap"),
}


def groups(full, inputs=None):
    """inputs: the folder of IMSuite's published files, if there is one."""
    yield from fib()
    yield from flat()
    yield from escaping_tree()
    yield from spanning_tree(full)
    yield from uts(full)
    yield from nqueens(full)
    yield from census(full)
    yield from memory()
    yield from stack_limit()
    yield from idle(full)
    yield from growth(full)
    yield from timeline()
    yield from lockstep(full)
    yield from syncbench(full)
    yield from stencil_p2p(full)
    yield from producer_consumer()
    yield from nas_cg(full)
    yield from nas_cg_policies(full)
    yield from spectral_norm(full)
    yield from jgf_applications(full)
    yield from imsuite(full, inputs)
    yield from xrx(full, inputs)
    yield from jgf_kernels(full)
    yield from sor_steps()
    yield from messages()
    yield from place_calls(full)
    yield from many_places()
    yield from rank_messages()
    yield from rank_start()
    yield from serialise()
    yield from ghost_update()
    yield from lattice_boltzmann()
    yield from point_cost()
    yield from array_costs()
    yield from uts_places()
    yield from quicksort(full)
    yield from turing_ring(full)
    yield from label_costs()
    yield from busy_victim()
    yield from replay()


# Over whatever has been measured, in the end. Each row is of one program; a mean over its classes is one over sizes.
OVERVIEW = (
    MeanOfRows("JGF and NPB: Tactus / better OpenMP, geometric mean", 2,
               r"^(JGF \w+ \w: adaptive / better OpenMP static|(nas|jgf)_\w+ \w: adaptive / OpenMP .*|"
               r"NPB CG \w: accumulator / better OpenMP)$", 1.0),
    MeanOfRows("all programs: adaptive / better fixed policy, geometric mean", 2, r": adaptive / better fixed policy$"),
    MeanOfRows("all programs: work_sharing / adaptive, geometric mean", 2, r": work_sharing / adaptive$"),
)


def measures_of(mean):
    """The measures, in usual sizes, of all rows that a mean of the overview is over."""
    return [row.measure for group in groups(False) for row in group.rows if mean.matches(row)]


def is_in_default_set(group):
    return group.section not in BY_NAME_ONLY and not group.when_asked
