"""Random variables of PackMimeHTTP's model."""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import ns2_class
from ackclock.ns2.library.core.engine import real, whole
from ackclock.ns2.library.core.randomness import RandomVariable

#: variables of the model: ns-2's command, the class, its arguments by default
VARIABLES = {
    "flow_arrive": "PackMimeHTTPFlowArrive",
    "req_size": "PackMimeHTTPFileSize",
    "rsp_size": "PackMimeHTTPFileSize",
    "server_delay": "PackMimeHTTPServerDelay",
    "persist_rsp_size": "PackMimeHTTPPersistRspSize",
    "prob_persistent": "PackMimeHTTPPersistent",
    "num_pages": "PackMimeHTTPNumPages",
    "prob_single_obj": "PackMimeHTTPSingleObj",
    "objs_per_page": "PackMimeHTTPObjsPerPage",
    "time_btwn_pages": "PackMimeHTTPTimeBtwnPages",
    "time_btwn_objs": "PackMimeHTTPTimeBtwnObjs",
}
#: class -> the engine's kind and the parameters that `new` takes, before an RNG
KINDS = {
    "PackMimeHTTPFlowArrive": ("pack_mime_flow_arrive", ("rate",)),
    "PackMimeHTTPFileSize": ("pack_mime_file_size", ("rate", "type")),
    "PackMimeHTTPServerDelay": ("pack_mime_server_delay", ("shape", "scale")),
    "PackMimeHTTPPersistRspSize": ("pack_mime_persist_rsp_size", ()),
    "PackMimeHTTPPersistent": ("pack_mime_persistent", ("probability",)),
    "PackMimeHTTPNumPages": ("pack_mime_num_pages", ("probability", "shape", "scale")),
    "PackMimeHTTPSingleObj": ("pack_mime_single_obj", ("probability",)),
    "PackMimeHTTPObjsPerPage": ("pack_mime_objs_per_page", ("shape", "scale")),
    "PackMimeHTTPTimeBtwnPages": ("pack_mime_time_btwn_pages", ()),
    "PackMimeHTTPTimeBtwnObjs": ("pack_mime_time_btwn_objs", ()),
    "PackMimeHTTPXmit": ("pack_mime_xmit", ("rate", "type")),
}


class ModelVariable(RandomVariable):
    """A random variable of the model. `new` takes all of its parameters, or none; an RNG may follow."""

    names: tuple[str, ...] = ()

    def create(self, *args: str) -> None:
        super().create()
        count = len(self.names)
        #: without arguments the variables of the script count
        self._takes_bound = len(args) not in (count, count + 1) or not args
        if self.kind == "pack_mime_persist_rsp_size":
            self.native.set_stream(self.engine.add_stream())
        elif len(args) == count + 1:
            self.call("use-rng", args[count])
        if not self._takes_bound:
            for name, text in zip(self.names, args, strict=False):
                self.engine_set(name, whole(text, name) if name == "type" else real(text, name))
        self.native.restart()

    def init_bound(self, defaults: dict[str, str]) -> None:
        if self._takes_bound:
            super().init_bound(defaults)


for _class, (_kind, _names) in KINDS.items():
    _members = {"kind": _kind, "names": _names, "__doc__": f"RandomVariable/{_class}."}
    ns2_class(f"RandomVariable/{_class}")(type(_class, (ModelVariable,), _members))
