# The dashboard and the MCP server in one image; docker-compose.yml runs one of each.
FROM python:3.11-slim

# The CPU build of PyTorch: the GPU build is several gigabytes larger and nothing here needs it.
ARG TORCH_INDEX_URL=https://download.pytorch.org/whl/cpu

ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1

WORKDIR /app

# The dependencies first: this layer is rebuilt only when pyproject.toml changes.
COPY pyproject.toml ./
COPY deploy/requirements.py ./deploy/requirements.py
RUN python deploy/requirements.py dashboard torch > wanted.txt \
    && grep -E '^torch[^a-z-]' wanted.txt > torch.txt \
    && pip install --no-deps --index-url "$TORCH_INDEX_URL" -r torch.txt \
    && pip install -r wanted.txt \
    && pip check \
    && rm wanted.txt torch.txt

COPY LICENSE main.py ./
COPY memory_core ./memory_core
COPY dashboard ./dashboard
COPY .streamlit ./.streamlit
COPY deploy/entrypoint.py ./deploy/entrypoint.py

# Who runs it may write nothing here, so each start would compile every module anew.
RUN python -m compileall -q main.py memory_core dashboard deploy

# Whoever breaks in is nobody, and the volume is all that can be written.
RUN useradd --uid 10001 --create-home --shell /usr/sbin/nologin memory \
    && mkdir /memory \
    && chown memory:memory /memory
USER memory
ENV MEMORY_DATA_DIR=/memory KNOWLEDGE_ROOTS=/memory/documents
VOLUME /memory
EXPOSE 8501 4392

ENTRYPOINT ["python", "deploy/entrypoint.py"]
CMD ["dashboard"]
