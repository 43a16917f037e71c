"""A shell for the commands of the docs, in which `epicene` starts without its imports.

Blocks are run by bash, one after the other in one folder; folder and exported variables last.
`epicene` is a small program that hands its arguments, folder, environment and open files to a
server, which forks: a command costs what it does, not seconds of imports and dictionaries.
"""

from __future__ import annotations

import importlib
import json
import os
import socket
import subprocess
import sys
from functools import partial
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
# What most commands import, so that their children need not.
_IMPORTED = (
    "epicene.app.run",
    "epicene.export.results_folder",
    "epicene.localisation.audit.page",
    "epicene.models.reference",
    "epicene.show.run_report",
    "epicene.show.terminal",
    "epicene.rewriting.french",
    "epicene.results.compare",
    "epicene.runs.run",
    "epicene.suites.alternations",
    "epicene.suites.genform",
    "epicene.suites.misgendering",
    "scipy.stats",
)
_CLIENT = """\
import json, os, socket, sys
server = socket.socket(socket.AF_UNIX)
server.connect({socket!r})
order = dict(arguments=sys.argv[1:], folder=os.getcwd(), environment=dict(os.environ))
socket.send_fds(server, [json.dumps(order).encode() + b"\\n"], [0, 1, 2])
sys.exit(int(server.recv(16)))
"""


def serve(path: str) -> None:
    """Run the commands that come by a socket, each in a child, until this process is ended."""
    import torch

    for name in _IMPORTED:
        importlib.import_module(name)
    import epicene
    from epicene.app.commands import run_command, run_with_exit_code

    # Reads the dictionaries, which nothing changes.
    epicene.audit(sorted((DOCS / "tutorials" / "localisation" / "locale").glob("*.po")))
    epicene.rewrite("He said so himself.", pronouns="they")
    torch.set_num_threads(1)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)
        server.listen()
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        while True:
            client, _ = server.accept()
            if os.fork():  # this process listens on; the child waits for the command and replies
                client.close()
                continue
            server.close()
            message, files, _, _ = socket.recv_fds(client, 65536, 3)
            while not message.endswith(b"\n"):
                message += client.recv(65536)
            order = json.loads(message)
            command = os.fork()
            if command == 0:
                code = 70
                try:
                    for number, file in enumerate(files):
                        os.dup2(file, number)
                    os.chdir(order["folder"])
                    os.environ.clear()
                    os.environ.update(order["environment"])
                    sys.argv = ["epicene", *order["arguments"]]
                    code = run_with_exit_code(partial(run_command, order["arguments"]))
                    sys.stdout.flush()
                    sys.stderr.flush()
                finally:
                    os._exit(code)
            _, status = os.waitpid(command, 0)
            client.sendall(str(os.waitstatus_to_exitcode(status)).encode())
            os._exit(0)


class EpiceneServer:
    """The server, and the folder with the program `epicene` that asks it."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self.programs = folder
        self.environment = environment
        path = str(folder / "socket")
        client = folder / "epicene"
        client.write_text(f"#!{sys.executable} -ISE\n{_CLIENT.format(socket=path)}", "utf-8")
        client.chmod(0o755)
        self._process = subprocess.Popen(
            [sys.executable, __file__, path], stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "ready\n"

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.communicate()


class Shell:
    """Runs one block after the other; the folder and exported variables last."""

    def __init__(self, folder: Path, server: EpiceneServer) -> None:
        self.folder = folder
        paths = (server.programs, Path(sys.executable).parent, os.environ["PATH"])
        self.environment = {
            **{name: value for name, value in os.environ.items() if "EPICENE" not in name},
            "PATH": os.pathsep.join(map(str, paths)),
            "DOCS": str(DOCS),
            **server.environment,
            "COLUMNS": "100",
            "OMP_NUM_THREADS": "1",
        }
        self._state = server.programs / f"state-{folder.name}.json"

    def run(self, code: str) -> tuple[int, str]:
        """The exit code, and all that was printed."""
        keep = "import json, os; print(json.dumps([os.getcwd(), dict(os.environ)]))"
        script = f"set -e -o pipefail\n{code}\n{sys.executable} -ISE -c '{keep}' > {self._state}\n"
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            check=False,
        )
        if done.returncode == 0:
            folder, self.environment = json.loads(self._state.read_text("utf-8"))
            self.folder = Path(folder)
        return done.returncode, done.stdout


if __name__ == "__main__":
    serve(sys.argv[1])
