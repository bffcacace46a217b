# The book, built in a container:
#
#     docker build --tag mjq .
#     docker run --name book mjq && docker cp book:/mjq/_build/html html
#
# The lock file names every package by its hash. The base image has no hash here, so that it gets its repairs.
FROM python:3.11-slim-bookworm

RUN apt-get update \
    && apt-get install --yes --no-install-recommends make git chromium \
    && rm -rf /var/lib/apt/lists/*

WORKDIR /mjq
COPY . .
RUN make .venv/ready

CMD ["make", "book"]
