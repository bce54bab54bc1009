"""Progress of long work: a line a minute where nobody watches a terminal."""

from mechdesign_cli.showing import progress


def test_a_line_a_minute_off_a_terminal(capsys, monkeypatch):
    clock = iter([0.0, 59.0, 61.0, 62.0, 130.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    with progress.progress_after_a_second("counting", 200) as show:
        for done in (10, 20, 30, 250):
            show(done)
    assert capsys.readouterr().err == "counting: 10 % after 61 s\ncounting: 100 % after 130 s\n"


def test_short_work_says_nothing(capsys):
    with progress.progress_after_a_second("counting", 0) as show:
        show(0)
    assert capsys.readouterr().err == ""
