# syntax=docker/dockerfile:1

# npm installs the Node that Caracal is tested on, so the image needs no other Node.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --no-audit --no-fund
COPY LICENSE caracal.js ./
COPY src src

FROM build AS console
RUN npm ci --no-audit --no-fund
COPY tools/client tools/client
COPY console console
RUN npm run build

FROM debian:bookworm-slim
RUN useradd --system --uid 10001 --user-group --no-create-home --shell /usr/sbin/nologin caracal \
  && install -d -o caracal -g caracal -m 700 /data /files
COPY --from=build /app /app
COPY --from=console /app/console/dist /app/console/dist
WORKDIR /app
USER 10001:10001
ENV NODE_ENV=production \
    CARACAL_HOST=0.0.0.0 \
    CARACAL_DATA_DIR=/data
VOLUME /data
EXPOSE 8080 1883
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=6s --start-period=60s --retries=3 \
  CMD ["/app/node_modules/node/bin/node", "-e", "fetch('http://127.0.0.1:8080/health/live').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Node is the first process, so it gets the signals.
ENTRYPOINT ["/app/node_modules/node/bin/node", "--max-semi-space-size=16", "caracal.js"]
