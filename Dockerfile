# One static binary on a minimal base; the database runs elsewhere (compose.yaml).
FROM node:20-bookworm AS node
WORKDIR /src
COPY . .
RUN cd dashboard && npm ci && npm run build
RUN scripts/packages

FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
COPY --from=node /src/dashboard/dist/app dashboard/dist/app
COPY --from=node /src/sdk/packages/dist sdk/packages/dist
ARG VERSION=dev
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=${VERSION}" -o /svc ./cmd/svc \
    && mkdir -p /data/media /data/frames

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /svc /usr/local/bin/svc
COPY --from=build --chown=nonroot:nonroot /data /data
ENV SVC_ADDR=0.0.0.0:4000 SVC_ADMIN_ADDR=0.0.0.0:4001 SVC_MEDIA_DIR=/data/media SVC_FRAME_DIR=/data/frames
VOLUME /data
EXPOSE 4000 4001
USER nonroot
ENTRYPOINT ["svc"]
CMD ["serve"]
