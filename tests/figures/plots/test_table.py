from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from mechdesign_figures.plots.table import GAP, draw_table, table_figure

CELLS = [["", "GM", "EM"], ["fair", "never", "always"], ["score", "0.95", "0.97"]]


def test_every_cell_in_its_row_and_column():
    axes = draw_table(CELLS, Figure().add_subplot(), rules_above=(1,))
    placed = {text.get_text(): text.get_position() for text in axes.texts}
    assert [placed[word][1] for word in ("GM", "never", "0.95")] == [0, 1, 2]
    assert placed["fair"][0] == placed["score"][0] < placed["never"][0] == placed["0.95"][0] < placed["always"][0]
    assert placed["always"][0] - placed["never"][0] > GAP
    (rules,) = [found for found in axes.collections if isinstance(found, LineCollection)]
    assert [segment[0][1] for segment in rules.get_segments()] == [0.5, 2.5]


def test_longer_cells_get_more_room():
    wide = [[word * 3 for word in row] for row in CELLS]
    assert table_figure(wide).get_figwidth() > table_figure(CELLS).get_figwidth()
    assert table_figure(CELLS * 2).get_figheight() > table_figure(CELLS).get_figheight()
