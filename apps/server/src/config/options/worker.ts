import { defineSection, option } from '../option.ts'
import { address, webUrl } from '../places.ts'
import { duration } from '../quantities.ts'
import { integer, positive, readWith, TEXT_FORMS, text, texts, toggle } from '../text-kind.ts'

const PORTS = { min: 1, max: 65_535 }

/** Labels as `name=value` pairs between commas. */
const labels = readWith((value): Readonly<Record<string, string>> | undefined => {
  const pairs = value
    .split(',')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '')
    .map((pair) => /^([^=\s]+)=(.*)$/.exec(pair))
  if (pairs.includes(null)) return undefined
  return Object.freeze(Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2]?.trim() ?? ''])))
}).register(TEXT_FORMS, {
  placeholder: 'NAME=VALUE,…',
  form: 'a list of NAME=VALUE pairs between commas',
  shape: 'list',
})

/** A worker of several machines. */
export const worker = defineSection({
  heading: 'Worker',
  options: {
    registerTo: option(webUrl, {
      flag: 'register-to',
      env: ['SVC_REGISTER_TO'],
      about: 'the front end that a worker registers at, or the load balancer before several',
    }),
    nodeName: option(text, {
      flag: 'node-name',
      env: ['SVC_NODE_NAME'],
      shownDefault: 'the name of the machine',
      about: 'name of a worker; no two may share one',
    }),
    workerAddr: option(address, {
      flag: 'addr',
      env: ['SVC_ADDR'],
      shownDefault: 'the name of the machine with the port of --serve-addr',
      about: 'HOST:PORT at which front ends reach the first backend of a worker',
    }),
    serveAddr: option(address, {
      flag: 'serve-addr',
      env: ['SVC_SERVE_ADDR'],
      shownDefault: '0.0.0.0:50051',
      about: 'where backends of a worker listen; each takes the next port',
    }),
    grpcMaxPort: option(integer(PORTS), {
      flag: 'grpc-max-port',
      env: ['SVC_GRPC_MAX_PORT'],
      default: '65535',
      about: 'last port of the backends of a worker',
    }),
    workerHttpAddr: option(address, {
      flag: 'http-addr',
      env: ['SVC_HTTP_ADDR'],
      shownDefault: 'one port below the first backend',
      about: 'where a worker takes files',
    }),
    advertiseAddr: option(address, {
      flag: 'advertise-addr',
      env: ['SVC_ADVERTISE_ADDR'],
      shownDefault: 'that of --addr',
      about: 'HOST:PORT that front ends are told for backends, where a worker is behind another address',
    }),
    advertiseHttpAddr: option(address, {
      flag: 'advertise-http-addr',
      env: ['SVC_ADVERTISE_HTTP_ADDR'],
      shownDefault: 'the host of --advertise-addr with the port of --http-addr',
      about: 'HOST:PORT that front ends are told for files',
    }),
    heartbeatIntervalMs: option(duration({ max: '30s' }), {
      flag: 'heartbeat-interval',
      env: ['SVC_HEARTBEAT_INTERVAL'],
      default: '10s',
      about: 'time between two signs of life of a worker, 100ms at least; after 60s without one it counts as offline',
    }),
    nodeLabels: option(labels, {
      flag: 'node-labels',
      env: ['SVC_NODE_LABELS'],
      default: '',
      about: 'labels of a worker, which the rules for where models run may ask for',
    }),
    maxReplicasPerModel: option(positive, {
      flag: 'max-replicas-per-model',
      env: ['SVC_MAX_REPLICAS_PER_MODEL'],
      default: '1',
      about: 'how many times a worker may run one model',
    }),
    prefetchModels: option(texts, {
      flag: 'prefetch-models',
      env: ['SVC_PREFETCH_MODELS'],
      default: '',
      about: 'entries of --galleries whose files a worker fetches before it takes requests',
    }),
    natsJwt: option(text, {
      env: ['SVC_NATS_JWT'],
      about: 'JWT of a worker on the bus, where front ends give none',
      secret: true,
    }),
    natsUserSeed: option(text, {
      env: ['SVC_NATS_USER_SEED'],
      about: 'seed of that JWT',
      secret: true,
    }),
    insecureNoToken: option(toggle, {
      flag: 'insecure-no-token',
      default: 'false',
      about: 'start a worker without a registration token: everybody who reaches it may use it and write its files',
    }),
  },
})
