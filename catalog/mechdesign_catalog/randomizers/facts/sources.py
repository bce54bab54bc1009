"""The papers that local oracles and systems come from."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Source:
    """A paper that has a system: its authors, its title, where and when it came out, and the part of it that is meant.

    >>> print(ARCOLEZI.short)
    Arcolezi, Couchot, Al Bouna, Xiao, CIKM 2021
    >>> print(THESIS.at("section 5.3").short)
    Kulkarni, thesis, section 5.3
    """

    authors: str
    title: str
    venue: str
    part: str = ""

    def at(self, part: str) -> "Source":
        """Return the source with the part that is meant: a section, an algorithm."""
        return replace(self, part=part)

    @property
    def short(self) -> str:
        """Authors, venue with its year, and the part."""
        return ", ".join(filter(None, (self.authors, self.venue, self.part)))


APPLE = Source("Apple's Differential Privacy Team", "Learning with privacy at scale", "2017")
ARCOLEZI = Source("Arcolezi, Couchot, Al Bouna, Xiao", "Random sampling plus fake data", "CIKM 2021")
BASSILY = Source("Bassily, Smith", "Local, private, efficient protocols for succinct histograms", "STOC 2015")
CALM = Source(
    "Zhang, Wang, Li, He, Chen",
    "CALM: consistent adaptive local marginal for marginal release under local differential privacy",
    "CCS 2018",
)
DING = Source("Ding, Kulkarni, Yekhanin", "Collecting telemetry data privately", "NeurIPS 2017")
ERLINGSSON = Source("Erlingsson, Pihur, Korolova", "RAPPOR", "CCS 2014")
EXTREMAL = Source("Kairouz, Oh, Viswanath", "Extremal mechanisms for local differential privacy", "JMLR 17, 2016")
FANTI = Source("Fanti, Pihur, Erlingsson", "Building a RAPPOR with the unknown", "PoPETs 2016")
KAIROUZ = Source("Kairouz, Bonawitz, Ramage", "Discrete distribution estimation under local privacy", "ICML 2016")
MADDOCK = Source("Cormode, Maddock, Maple", "Frequency estimation under local differential privacy", "VLDB 2021")
MARGINALS = Source("Cormode, Kulkarni, Srivastava", "Marginal release under local differential privacy", "SIGMOD 2018")
NGUYEN = Source(
    "Nguyen, Xiao, Yang, Hui, Shin, Shin",
    "Collecting and analyzing data from smart device users with local differential privacy",
    "2016",
)
RANGES = Source(
    "Cormode, Kulkarni, Srivastava", "Answering range queries under local differential privacy", "VLDB 2019"
)
THESIS = Source("Kulkarni", "", "thesis")
WANG = Source(
    "Wang, Blocki, Li, Jha",
    "Locally differentially private protocols for frequency estimation",
    "USENIX Security 2017",
)
WANG_SUBSETS = Source("Wang et al.", "", "arXiv:1607.08025")
YE = Source(
    "Ye, Barg",
    "Optimal schemes for discrete distribution estimation under locally differential privacy",
    "IEEE Transactions on Information Theory 2018",
)
