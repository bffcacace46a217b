from .models import MODELS as MODELS
from .models import Model as Model
from .models import network_of as network_of
from .solving import schema as schema
from .solving import solve as solve
