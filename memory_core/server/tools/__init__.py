"""The tools, one module per family; importing this package fills the registry."""

from . import analytics as analytics
from . import bottles as bottles
from . import conversation as conversation
from . import discovery as discovery
from . import entries as entries
from . import exploration as exploration
from . import graph as graph
from . import knowledge as knowledge
from . import lifecycle as lifecycle
from . import search as search
from . import sessions as sessions
from . import time as time
from . import upkeep as upkeep
