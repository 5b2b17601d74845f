# docker build -t simgin . && docker run --rm -v "$PWD/results:/home/simgin/results" simgin match gold simple
FROM python:3.13-slim

RUN useradd --create-home simgin
COPY . /src
RUN python -m pip install --no-cache-dir -c /src/constraints.txt /src && rm -r /src

USER simgin
WORKDIR /home/simgin
# Compile once, when the image is built
RUN simgin match simple simple --deals 2000

ENTRYPOINT ["simgin"]
CMD ["--help"]
