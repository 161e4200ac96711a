# The store with all its faces, served to a browser, programs (REST) and agents. See compose.yaml for one with a PostgreSQL of its own.
FROM python:3.12-slim
RUN useradd --create-home --uid 10001 librarian
WORKDIR /src
COPY . .
# torch is named first and by version: a CPU build is enough, and a plain `torch` may bring CUDA along
RUN pip install --no-cache-dir --index-url https://download.pytorch.org/whl/cpu torch==2.13.0 \
    && pip install --no-cache-dir '.[all]' \
    && rm -rf /src/*
WORKDIR /home/librarian
USER librarian
ENV HF_HUB_OFFLINE=1 RAGRAPH_HOME=/home/librarian/store
VOLUME /home/librarian/store
EXPOSE 8000
# any address but 127.0.0.1 asks for a token: RAGRAPH_TOKEN
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
CMD ["sh", "-c", "exec ragraph serve --host 0.0.0.0 --port 8000 --token \"$RAGRAPH_TOKEN\" --allow-host \"${RAGRAPH_ALLOW_HOST:-localhost}\""]
