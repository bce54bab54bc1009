"""The file of a memory, and its header."""

import json
from dataclasses import dataclass
from pathlib import Path

from mechdesign.documents.databases import DatabaseKind
from mechdesign.errors import InputError
from mechdesign.ledgers.spellings import RULE, RULES
from mechdesign_catalog.collection.memories.memory import SECRET
from mechdesign_catalog.randomizers.reports import headers
from mechdesign_catalog.randomizers.reports.reports import Parameters, require_same

MEMORY_FORMATS = {rule: f"mechdesign-memory/{rule}" for rule in RULES}
"""By the rule that tells spellings of names apart; the format of rule 1 does not state it."""

KEY_DIGITS = 64
MEMORY_DATABASE = DatabaseKind(
    "memory",
    application=0x6D64_6D79,
    version=1,
    tables=[
        "CREATE TABLE batches (number INTEGER PRIMARY KEY, round TEXT NOT NULL, identity TEXT NOT NULL UNIQUE, "
        "users BLOB NOT NULL, digest BLOB NOT NULL)",
        "CREATE TABLE header (text TEXT NOT NULL)",
        "CREATE TABLE users (number INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE, answers BLOB NOT NULL, "
        "digest BLOB NOT NULL)",
    ],
    whole="a whole memory file of mechdesign local privatize",
    missing="restore its latest copy: with a new memory all users answer anew, which spends their privacy again",
    undone="no report left, and the same command goes on from what it holds",
)
"""What the file is; `batches.users` are the numbers of users, ascending, in 8 bytes each."""


@dataclass(frozen=True)
class MemoryHeader:
    """A memory: what its file says of itself; `names` is the rule that tells spellings of a name apart."""

    parameters: Parameters
    domain_digest: str
    seed: int | None
    identity: str
    key: bytes
    names: int = RULE

    def to_json(self) -> str:
        """Write the header with the digest of everything else."""
        body: headers.Body = {
            "format": MEMORY_FORMATS[self.names],
            "secret": SECRET,
            "parameters": self.parameters,
            "domain": {"sha256": self.domain_digest},
            "seed": self.seed,
            "identity": self.identity,
            "key": self.key.hex(),
        }
        if self.names > 1:
            body["names"] = self.names
        return json.dumps({**body, "sha256": headers.digest(body)})

    @classmethod
    def from_json(cls, text: object, path: Path) -> "MemoryHeader":
        """Parse the header of a file.

        Raises:
            InputError: for one of another format, whose digest is not that of its content, or with an impossible field.
        """
        try:
            body, names = _body(str(text))
            if body.pop("sha256", None) != headers.digest(body):
                raise InputError("the header's digest must be that of its content, got another")
            return cls(
                parameters=headers.parameters(body),
                domain_digest=headers.hexadecimal(
                    headers.part(body, "domain").get("sha256"), "sha256", headers.SHA256_DIGITS, may_be_empty=True
                ),
                seed=headers.seed_if_any(body),
                identity=headers.hexadecimal(body.get("identity"), "identity", headers.IDENTITY_DIGITS),
                key=bytes.fromhex(headers.hexadecimal(body.get("key"), "key", KEY_DIGITS)),
                names=names,
            )
        except (InputError, RecursionError) as error:
            raise MEMORY_DATABASE.unfit(path, f"damaged: {error}") from None

    def require(self, path: Path, parameters: Parameters, domain_digest: str, seed: int | None) -> None:
        """Refuse to serve another oracle or another domain, or to mix real answers and simulated ones.

        Raises:
            InputError: with what serves.
        """
        require_same(parameters, self.parameters, f"the memory {path}")
        if self.domain_digest != domain_digest:
            raise InputError(
                f"a memory must be used with its own domain, got items for {path} that are others or in another order; "
                "with these its users would draw new permanent answers, and so spend privacy again"
            )
        if self.seed is not None and seed is None:
            raise InputError(
                f"real reports must have a memory of their own, got {path}, a simulation with the seed {self.seed}; "
                "give a new file, or a seed to go on simulating"
            )
        if self.seed is None and seed is not None:
            raise InputError(
                f"a simulation must have a memory of its own, got {path} of real answers with the seed {seed}; "
                "give a new file, or no seed"
            )


def _body(text: str) -> tuple[headers.Body, int]:
    """Parse the object of either format, and tell which rule it states."""
    rule = next((rule for rule, name in MEMORY_FORMATS.items() if f'"format": "{name}"' in text), RULE)
    body = headers.parse_header(text, MEMORY_FORMATS[rule])
    if body.get("names", 1) != rule:
        raise InputError(f"names must follow rule {rule}, got another")
    return body, rule
