"""The metrics of several processes as one page of Prometheus, with a label that names the process."""

import re
from collections.abc import Iterator, Mapping

_SAMPLE = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})?( .*)")
_ABOUT = ("# HELP ", "# TYPE ")
LABEL = "process"


def merged(pages: Mapping[int, bytes], of_all: bytes = b"") -> bytes:
    """One page: the metrics of each process by its number, and those that don't belong to one process, as they are."""
    families: dict[str, tuple[list[str], list[str]]] = {}
    for label, page in ((None, of_all), *((f'{LABEL}="{number}"', page) for number, page in sorted(pages.items()))):
        for name, about, sample in _lines(page.decode()):
            abouts, samples = families.setdefault(name, ([], []))
            if about and about not in abouts:
                abouts.append(about)
            if sample:
                samples.append(sample if label is None else _labelled(sample, label))
    lines = [line for abouts, samples in families.values() if samples for line in (*abouts, *samples)]
    return "".join(f"{line}\n" for line in lines).encode()


def _lines(page: str) -> Iterator[tuple[str, str, str]]:
    """The lines of a page: the family that each belongs to, and the line as one about the family or as a sample."""
    name = ""
    for line in page.splitlines():
        if line.startswith(_ABOUT):
            name = line.split(" ", 3)[2]
            yield name, line, ""
        elif line and not line.startswith("#"):
            yield name, "", line


def _labelled(sample: str, label: str) -> str:
    found = _SAMPLE.fullmatch(sample)
    assert found is not None, "our own page is well formed"
    name, labels, rest = found.groups()
    return f"{name}{{{label}{',' + labels if labels else ''}}}{rest}"
