import { defineSection, option, setting } from '../option.ts'
import { path } from '../places.ts'
import { keep, wait } from '../quantities.ts'
import { onOff } from '../setting-kind.ts'
import { text, toggle } from '../text-kind.ts'

/** Front ends and workers on several machines. */
export const cluster = defineSection({
  heading: 'Several machines',
  options: {
    distributed: option(toggle, {
      flag: 'distributed',
      env: ['SVC_DISTRIBUTED'],
      default: 'false',
      about: 'run models on workers; needs a PostgreSQL database, accounts, a message bus and a registration token',
    }),
    instanceId: option(text, {
      env: ['SVC_INSTANCE_ID'],
      shownDefault: 'the id in --data-path',
      about: 'name of this server among several; no two may share one',
    }),
    natsUrl: option(text, {
      flag: 'nats-url',
      env: ['SVC_NATS_URL'],
      about: 'the NATS servers, between commas, such as nats://bus:4222; a user and a password may stand in it',
      secret: true,
    }),
    registrationToken: option(text, {
      flag: 'registration-token',
      env: ['SVC_REGISTRATION_TOKEN'],
      about: 'what workers register with; without it neither --distributed nor a worker starts',
      secret: true,
    }),
    registrationRequireAuth: option(toggle, {
      env: ['SVC_REGISTRATION_REQUIRE_AUTH'],
      default: 'true',
      about: 'no registration without the token; false is refused with --distributed',
    }),
    distributedRequireAuth: option(toggle, {
      env: ['SVC_DISTRIBUTED_REQUIRE_AUTH'],
      default: 'true',
      about: 'no workers without the token; false is refused with --distributed',
    }),
    autoApproveNodes: option(toggle, {
      env: ['SVC_AUTO_APPROVE_NODES'],
      default: 'false',
      about: 'take new workers without asking',
    }),
    distributedSharedModels: option(toggle, {
      env: ['SVC_DISTRIBUTED_SHARED_MODELS'],
      default: 'false',
      about: 'workers see the same models path: no file is sent to them',
    }),
    distributedPrefixCache: option(toggle, {
      env: ['SVC_DISTRIBUTED_PREFIX_CACHE'],
      default: 'true',
      about: 'send a conversation to the worker that knows its beginning',
    }),
    distributedPrefixCacheTtlMs: option(wait, {
      env: ['SVC_DISTRIBUTED_PREFIX_CACHE_TTL'],
      default: '5m',
      about: 'how long a worker is taken to know a beginning',
    }),
    distributedDiskHeadroomCheck: option(toggle, {
      env: ['SVC_DISTRIBUTED_DISK_HEADROOM_CHECK'],
      default: 'true',
      about: 'no model to a worker whose disk is too full; without it the log warns',
      setting: { distributed_disk_headroom_check: setting(onOff) },
    }),
    natsAccountSeed: option(text, {
      env: ['SVC_NATS_ACCOUNT_SEED'],
      about: 'seed of the account on the bus; with it each worker gets credentials of its own',
      secret: true,
    }),
    natsServiceJwt: option(text, {
      env: ['SVC_NATS_SERVICE_JWT'],
      about: 'JWT of this server on the bus',
      secret: true,
    }),
    natsServiceSeed: option(text, {
      env: ['SVC_NATS_SERVICE_SEED'],
      about: 'seed of that JWT',
      secret: true,
    }),
    natsWorkerJwtTtlMs: option(keep, {
      env: ['SVC_NATS_WORKER_JWT_TTL'],
      default: '24h',
      about: 'how long the credentials of a worker are valid; it renews them before',
    }),
    natsRequireAuth: option(toggle, {
      env: ['SVC_NATS_REQUIRE_AUTH'],
      default: 'true',
      about: 'no start without credentials for the bus; false allows an open bus',
    }),
    natsTlsCa: option(path, {
      env: ['SVC_NATS_TLS_CA'],
      about: 'certificate of the authority of the bus, a PEM file; with it the bus must speak TLS',
    }),
    natsTlsCert: option(path, {
      env: ['SVC_NATS_TLS_CERT'],
      about: 'certificate of this server for the bus, a PEM file',
    }),
    natsTlsKey: option(path, {
      env: ['SVC_NATS_TLS_KEY'],
      about: 'key of that certificate, a PEM file',
    }),
    storageUrl: option(text, {
      flag: 'storage-url',
      env: ['SVC_STORAGE_URL'],
      about:
        'S3-compatible storage for files of models and of users, such as https://s3.example.org; without it there is none',
    }),
    storageBucket: option(text, {
      flag: 'storage-bucket',
      env: ['SVC_STORAGE_BUCKET'],
      about: 'the bucket; it must exist',
    }),
    storageRegion: option(text, {
      flag: 'storage-region',
      env: ['SVC_STORAGE_REGION'],
      default: 'us-east-1',
      about: 'the region of the bucket, which signatures name',
    }),
    storageAccessKey: option(text, {
      flag: 'storage-access-key',
      env: ['SVC_STORAGE_ACCESS_KEY'],
      about: 'id of the key that may read, write, delete and list in the bucket',
      secret: true,
    }),
    storageSecretKey: option(text, {
      flag: 'storage-secret-key',
      env: ['SVC_STORAGE_SECRET_KEY'],
      about: 'the secret of that key',
      secret: true,
    }),
    modelScheduling: option(text, {
      env: ['SVC_MODEL_SCHEDULING'],
      about: 'rules for where models run, as JSON; written to the database at each start',
    }),
    modelSchedulingConfig: option(path, {
      env: ['SVC_MODEL_SCHEDULING_CONFIG'],
      about: 'the same rules in a YAML file',
    }),
    exposeNodeHeader: option(toggle, {
      env: ['SVC_EXPOSE_NODE_HEADER'],
      default: 'false',
      about: 'name the worker in a header of each reply',
    }),
    modelLoadTimeoutMs: option(wait, {
      flag: 'model-load-timeout',
      env: ['SVC_NATS_MODEL_LOAD_TIMEOUT'],
      shownDefault: '5m and 20s for each GiB, 6h at most',
      about: 'longest load of a model on a worker',
    }),
    backendInstallTimeoutMs: option(wait, {
      flag: 'backend-install-timeout',
      env: ['SVC_NATS_BACKEND_INSTALL_TIMEOUT'],
      default: '15m',
      about: 'longest installation of a backend on a worker',
    }),
    backendUpgradeTimeoutMs: option(wait, {
      flag: 'backend-upgrade-timeout',
      env: ['SVC_NATS_BACKEND_UPGRADE_TIMEOUT'],
      default: '15m',
      about: 'longest upgrade of a backend on a worker',
    }),
  },
})
