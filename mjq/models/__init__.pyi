from . import cluster as cluster
from . import fluid as fluid
from . import near_saturation as near_saturation
from . import pool_depletion as pool_depletion
from . import processing_capacity as processing_capacity
from . import scheduling as scheduling
from . import several_resources as several_resources
from . import stability as stability
