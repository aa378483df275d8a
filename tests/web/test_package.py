"""The package of the JavaScript client: what is in it, and that the code of its page runs with it."""

import asyncio
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from tests.servers import run, served
from tests.web.connect_door import ROOT
from tests.web.node_programs import NODE, needs_node

CLIENT = ROOT / "services" / "web" / "client"
PAGE = ROOT / "docs" / "client" / "javascript.md"
NPM = shutil.which("npm")
BLOCKS: list[str] = re.findall(r"```js\n(.*?)```", PAGE.read_text(), re.DOTALL)

pytestmark = [needs_node, pytest.mark.skipif(NPM is None, reason="npm is not installed here")]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the package is installed, as from an archive that somebody sent."""
    folder = tmp_path_factory.mktemp("installed")
    packed = [NPM or "npm", "pack", "--silent", "--pack-destination", str(folder)]
    subprocess.run(packed, cwd=CLIENT, check=True, capture_output=True)
    (archive,) = folder.glob("*.tgz")
    with tarfile.open(archive) as packages:
        packages.extractall(folder / "unpacked", filter="data")
    (folder / "node_modules").mkdir()
    (folder / "unpacked" / "package").rename(folder / "node_modules" / "liarsdice-client")
    return folder


def test_the_package_has_every_module(installed: Path) -> None:
    package = installed / "node_modules" / "liarsdice-client"

    assert {path.relative_to(package) for path in package.rglob("*.js")} == {
        path.relative_to(CLIENT) for path in CLIENT.rglob("*.js")
    }
    assert (package / "README.md").exists()


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_the_code_of_the_page_runs(number: int, installed: Path) -> None:
    async def story() -> str:
        async with served() as server:
            assert server.reading is not None
            block = BLOCKS[number].replace("http://127.0.0.1:8080", server.reading.url)
            if "const SERVER" not in block:
                block = f'const SERVER = "{server.reading.url}";\n{block}'
            program = installed / f"block-{number}.mjs"
            await asyncio.to_thread(program.write_text, block)
            pipe = asyncio.subprocess.PIPE
            ran = await asyncio.create_subprocess_exec(NODE, program, cwd=installed, stdout=pipe, stderr=pipe)
            output, errors = await ran.communicate()
            assert ran.returncode == 0, errors.decode()
            return output.decode()

    expected = (r"\d+ dice and \d+ links are proven\n(.*\n)*\d+ GameEnded$", r"FACE_OUT_OF_RANGE", r"\d+ players")

    assert re.search(expected[number], run(story()).strip())


def test_the_page_of_the_browser_imports_what_there_is() -> None:
    block, _ = re.findall(r"```html\n(.*?)```", PAGE.read_text(), re.DOTALL)
    (names,) = re.findall(r"import \{ (.*) \} from", block)
    exported = (CLIENT / "index.js").read_text()

    assert all(name in exported for name in names.split(", "))


def test_the_element_on_the_page_has_the_attributes_that_the_docs_name() -> None:
    _, block = re.findall(r"```html\n(.*?)```", PAGE.read_text(), re.DOTALL)
    element = (CLIENT.parent / "page" / "replay" / "element.js").read_text()
    (observed,) = re.findall(r"observedAttributes = (\[.*\])", element)

    assert re.findall(r"<(\S+) game=", block) == re.findall(r'TAG = "(.*)"', element)
    assert set(re.findall(r"^\| `(\w+)` \|", PAGE.read_text(), re.MULTILINE)) >= set(re.findall(r'"(\w+)"', observed))
