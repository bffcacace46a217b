from . import models as models
from . import plots as plots
from . import simulation as simulation
from . import solvers as solvers
from . import system as system
from .models import cluster as cluster
from .models import fluid as fluid
from .models import many_hosts as many_hosts
from .models import near_saturation as near_saturation
from .models import pool_depletion as pool_depletion
from .models import processing_capacity as processing_capacity
from .models import scheduling as scheduling
from .models import several_resources as several_resources
from .models import stability as stability
from .system import Pool as Pool
from .system import System as System
from .system import TrackedCluster as TrackedCluster

__version__: str
