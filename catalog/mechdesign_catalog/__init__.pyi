from .analyses.dependence.associations import Associations, find_associations
from .analyses.dependence.learning import LearntTree, learn_tree
from .analyses.dependence.measurements import mbi_measurements
from .analyses.ordered.auc import AucEstimate, ScoreBins, estimate_auc, estimate_auc_of_halves
from .analyses.ordered.heavy_hitters import HeavyHitters, heavy_hitters
from .analyses.ordered.heavy_ranges import HeavyRanges, heavy_ranges
from .analyses.ordered.item_sets import ItemSets, SetCounts, candidates_of, estimate_set_counts
from .analyses.ordered.key_value import KeyValues, RangeMeans, estimate_range_means
from .analyses.ordered.moments import moments
from .analyses.ordered.named_ranges import read_ranges
from .analyses.ordered.quantiles import QuantileEstimate, quantiles
from .analyses.postprocessing.registry import POSTPROCESSING, postprocess
from .collection.clients.privatizing import privatize
from .collection.clients.task_clients import make_task
from .collection.estimates.flagging import Flag, flag_rates
from .collection.estimates.frequency_estimate import FrequencyEstimate
from .collection.estimates.marginals_estimate import MarginalsEstimate
from .collection.estimates.mean_estimate import ReportedMean
from .collection.estimates.workload_estimate import WorkloadEstimate
from .collection.reports.batches import PrivateReports
from .collection.reports.messages import receive_messages
from .collection.servers.aggregating import aggregate, aggregate_sums
from .collection.servers.collecting import collect
from .collection.states.collection_state import CollectionState
from .collection.states.state_files import read_state, write_state
from .collection.tasks.task import Task
from .collection.tasks.task_document import read_task, save_task
from .comparisons.baselines import BaselineStanding, rank_baselines
from .comparisons.calibration import LocalCalibration, calibrate_reports
from .comparisons.choosing import best_oracle
from .comparisons.marginals_survey import MarginalsStanding, survey_marginals
from .comparisons.of_mechanisms import MechanismRow, compare_mechanisms
from .comparisons.of_oracles import OracleRow, compare_oracles
from .comparisons.survey import Standing, survey_oracles
from .comparisons.workload_survey import WorkloadStanding, survey_workload
from .datasets.attributes import Attributes, read_attributes
from .datasets.counts.csv_table import open_table
from .datasets.counts.descriptions import DataEntry
from .datasets.counts.grouped import GroupedCounts
from .datasets.counts.opening import open_data
from .datasets.descriptions import list_data_sets
from .datasets.items.bins import Bins, parse_bins
from .datasets.items.counts import ItemCounts
from .datasets.items.domain import Domain, count_items, read_domain
from .datasets.items.opening import open_item_table, open_items
from .datasets.items.own_columns import count_bins, read_item_table
from .decoders.decoder import Decoder
from .decoders.estimate import Estimate
from .mechanisms.candidates import NAMED_DESIGNS, make_mechanism
from .mechanisms.closed_forms import CLOSED_FORMS, ClosedForm, closed_form
from .mechanisms.landmarks import class_names, compare_with_landmarks
from .randomizers.oracle import actual_epsilon
from .reference.messages import reference_message
from .systems.attributes.registry import TUPLE_FORMS, LossRow, loss_rows, make_tuple_oracle
from .systems.designs.level_design import design_levels
from .systems.designs.workload_design_file import oracle_of_design
from .systems.registry import ORACLES, make_oracle, parse_oracle
from .systems.tables.consistency.posts import TABLE_POSTS
from .systems.tables.registry import MARGINAL_ORACLES, parse_marginal_oracle

__all__ = [
    "CLOSED_FORMS",
    "MARGINAL_ORACLES",
    "NAMED_DESIGNS",
    "ORACLES",
    "POSTPROCESSING",
    "TABLE_POSTS",
    "TUPLE_FORMS",
    "Associations",
    "Attributes",
    "AucEstimate",
    "BaselineStanding",
    "Bins",
    "ClosedForm",
    "CollectionState",
    "DataEntry",
    "Decoder",
    "Domain",
    "Estimate",
    "Flag",
    "FrequencyEstimate",
    "GroupedCounts",
    "HeavyHitters",
    "HeavyRanges",
    "ItemCounts",
    "ItemSets",
    "KeyValues",
    "LearntTree",
    "LocalCalibration",
    "LossRow",
    "MarginalsEstimate",
    "MarginalsStanding",
    "MechanismRow",
    "OracleRow",
    "PrivateReports",
    "QuantileEstimate",
    "RangeMeans",
    "ReportedMean",
    "ScoreBins",
    "SetCounts",
    "Standing",
    "Task",
    "WorkloadEstimate",
    "WorkloadStanding",
    "actual_epsilon",
    "aggregate",
    "aggregate_sums",
    "best_oracle",
    "calibrate_reports",
    "candidates_of",
    "class_names",
    "closed_form",
    "collect",
    "compare_mechanisms",
    "compare_oracles",
    "compare_with_landmarks",
    "count_bins",
    "count_items",
    "design_levels",
    "estimate_auc",
    "estimate_auc_of_halves",
    "estimate_range_means",
    "estimate_set_counts",
    "find_associations",
    "flag_rates",
    "heavy_hitters",
    "heavy_ranges",
    "learn_tree",
    "list_data_sets",
    "loss_rows",
    "make_mechanism",
    "make_oracle",
    "make_task",
    "make_tuple_oracle",
    "mbi_measurements",
    "moments",
    "open_data",
    "open_item_table",
    "open_items",
    "open_table",
    "oracle_of_design",
    "parse_bins",
    "parse_marginal_oracle",
    "parse_oracle",
    "postprocess",
    "privatize",
    "quantiles",
    "rank_baselines",
    "read_attributes",
    "read_domain",
    "read_item_table",
    "read_ranges",
    "read_state",
    "read_task",
    "receive_messages",
    "reference_message",
    "save_task",
    "survey_marginals",
    "survey_oracles",
    "survey_workload",
    "write_state",
]
