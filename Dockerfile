# The server with its backends, for CPUs. Build: docker build -t svc .
FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY . .
RUN node scripts/bootstrap.mjs build
RUN .tools/node_modules/.bin/pnpm --filter @svc/server --prod --config.inject-workspace-packages=true deploy /app
# Packages come with builds for every system.
RUN node scripts/prune-install.mjs /app

FROM node:24-bookworm-slim
COPY --from=build /app /opt/svc
RUN ln -s /opt/svc/dist/main.js /usr/local/bin/svc && install -d -o node -g node /models /data /backends /configuration
# Threads of libraries share two heaps of glibc: with one each, the memory of many calls is not given back.
ENV NODE_ENV=production \
    MALLOC_ARENA_MAX=2 \
    SVC_ADDRESS=0.0.0.0:8080 \
    SVC_MODELS_PATH=/models \
    SVC_DATA_PATH=/data \
    SVC_BACKENDS_PATH=/backends \
    SVC_CONFIG_DIR=/configuration
USER node
WORKDIR /data
VOLUME ["/models", "/data", "/backends", "/configuration"]
EXPOSE 8080
HEALTHCHECK --interval=15s --timeout=5s --start-period=10s CMD ["node", "-e", "fetch('http://127.0.0.1:8080/healthz').then((reply) => process.exit(reply.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["svc"]
CMD ["run"]
