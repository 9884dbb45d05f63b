import { defineSection, option, setting } from './option.ts'
import { path, webUrl } from './places.ts'
import { keep, wait } from './quantities.ts'
import { line, onOff } from './setting-kind.ts'
import { count, text, toggle } from './text-kind.ts'

const models = defineSection({
  heading: 'Models',
  options: {
    modelLoadTimeoutMs: option(wait, {
      flag: 'model-load-timeout',
      env: ['SVC_NATS_MODEL_LOAD_TIMEOUT'],
      shownDefault: '5m and 20s for each GiB, 6h at most',
      about: 'longest load of a model on a worker',
    }),
  },
})

const logs = defineSection({
  heading: 'Logs, metrics and profiling',
  options: {
    pprofMutexProfileFraction: option(count, {
      flag: 'pprof-mutex-profile-fraction',
      default: '0',
      about: 'share of lock contention that is profiled',
      refusal: 'cannot be had: JavaScript has no locks to profile',
    }),
    pprofBlockProfileRate: option(count, {
      flag: 'pprof-block-profile-rate',
      default: '0',
      about: 'rate at which blocking is profiled',
      refusal: 'cannot be had: Node has no profile of blocking; nodejs_eventloop_lag_seconds in /metrics shows it',
    }),
  },
})

const agents = defineSection({
  heading: 'Agents',
  options: {
    agentPoolApiUrl: option(webUrl, {
      env: ['SVC_AGENT_POOL_API_URL'],
      about: 'the API that agents call',
      refusal:
        'cannot be had: agents ask the models of this server inside it; a model file with backend service-proxy reaches another one',
    }),
    agentPoolApiKey: option(text, {
      env: ['SVC_AGENT_POOL_API_KEY'],
      about: 'the key they call it with',
      secret: true,
      refusal: 'cannot be had: agents ask the models of this server inside it, with the rights of their owner',
    }),
    agentPoolMultimodalModel: option(text, {
      env: ['SVC_AGENT_POOL_MULTIMODAL_MODEL'],
      about: 'model for images',
      refusal: 'cannot be had: the model of an agent takes images itself; name a model that does',
    }),
    agentPoolTranscriptionModel: option(text, {
      env: ['SVC_AGENT_POOL_TRANSCRIPTION_MODEL'],
      about: 'model for speech',
      refusal: 'cannot be had: agents take text; /v1/audio/transcriptions makes text of speech',
    }),
    agentPoolTranscriptionLanguage: option(text, {
      env: ['SVC_AGENT_POOL_TRANSCRIPTION_LANGUAGE'],
      about: 'language of speech',
      refusal: 'cannot be had: agents take text; /v1/audio/transcriptions makes text of speech',
    }),
    agentPoolTtsModel: option(text, {
      env: ['SVC_AGENT_POOL_TTS_MODEL'],
      about: 'model that speaks',
      refusal: 'cannot be had: agents answer in text; /v1/audio/speech speaks it',
    }),
    agentPoolCustomActionsDir: option(path, {
      env: ['SVC_AGENT_POOL_CUSTOM_ACTIONS_DIR'],
      about: 'actions of your own',
      refusal: 'cannot be had: the server runs no programs from a folder; give agents tools by MCP servers',
    }),
    agentPoolDatabaseUrl: option(text, {
      env: ['SVC_AGENT_POOL_DATABASE_URL'],
      default: '',
      about: 'database of the collections',
      secret: true,
      refusal: 'cannot be had: collections are in the database of the server, which --auth-database-url names',
      setting: { agent_pool_database_url: setting(line, { secret: true }) },
    }),
    agentPoolCollectionDbPath: option(text, {
      env: ['SVC_AGENT_POOL_COLLECTION_DB_PATH'],
      default: '',
      about: 'file of the collections',
      refusal: 'cannot be had: collections are in the database of the server',
      setting: { agent_pool_collection_db_path: setting(line) },
    }),
  },
})

const cluster = defineSection({
  heading: 'Several machines',
  options: {
    distributed: option(toggle, {
      flag: 'distributed',
      env: ['SVC_DISTRIBUTED'],
      default: 'false',
      about: 'run models on workers',
    }),
    instanceId: option(text, {
      env: ['SVC_INSTANCE_ID'],
      about: 'name of this server among several',
    }),
    natsUrl: option(text, {
      env: ['SVC_NATS_URL'],
      about: 'the message bus',
      secret: true,
    }),
    storageUrl: option(text, {
      env: ['SVC_STORAGE_URL'],
      about: 'object store of the model files',
    }),
    storageBucket: option(text, {
      env: ['SVC_STORAGE_BUCKET'],
      about: 'its bucket',
    }),
    storageRegion: option(text, {
      env: ['SVC_STORAGE_REGION'],
      default: 'us-east-1',
      about: 'its region',
    }),
    storageAccessKey: option(text, {
      env: ['SVC_STORAGE_ACCESS_KEY'],
      about: 'the key id',
      secret: true,
    }),
    storageSecretKey: option(text, {
      env: ['SVC_STORAGE_SECRET_KEY'],
      about: 'the key',
      secret: true,
    }),
    registrationToken: option(text, {
      env: ['SVC_REGISTRATION_TOKEN'],
      about: 'what workers register with',
      secret: true,
    }),
    registrationRequireAuth: option(toggle, {
      env: ['SVC_REGISTRATION_REQUIRE_AUTH'],
      default: 'false',
      about: 'no registration without the token',
    }),
    distributedRequireAuth: option(toggle, {
      env: ['SVC_DISTRIBUTED_REQUIRE_AUTH'],
      default: 'false',
      about: 'no workers without authentication',
    }),
    autoApproveNodes: option(toggle, {
      env: ['SVC_AUTO_APPROVE_NODES'],
      default: 'false',
      about: 'take new workers without asking',
    }),
    distributedSharedModels: option(toggle, {
      env: ['SVC_DISTRIBUTED_SHARED_MODELS'],
      default: 'false',
      about: 'workers see the same models path',
    }),
    distributedPrefixCache: option(toggle, {
      env: ['SVC_DISTRIBUTED_PREFIX_CACHE'],
      default: 'true',
      about: 'send a conversation to the worker that knows it',
    }),
    distributedPrefixCacheTtlMs: option(wait, {
      env: ['SVC_DISTRIBUTED_PREFIX_CACHE_TTL'],
      default: '5m',
      about: 'for this long',
    }),
    distributedDiskHeadroomCheck: option(toggle, {
      env: ['SVC_DISTRIBUTED_DISK_HEADROOM_CHECK'],
      default: 'true',
      about: 'no model to a worker whose disk is too full',
      setting: { distributed_disk_headroom_check: setting(onOff) },
    }),
    natsAccountSeed: option(text, {
      env: ['SVC_NATS_ACCOUNT_SEED'],
      about: 'seed of the account on the bus',
      secret: true,
    }),
    natsServiceJwt: option(text, {
      env: ['SVC_NATS_SERVICE_JWT'],
      about: 'token of this server on the bus',
      secret: true,
    }),
    natsServiceSeed: option(text, {
      env: ['SVC_NATS_SERVICE_SEED'],
      about: 'seed of this server on the bus',
      secret: true,
    }),
    natsWorkerJwtTtlMs: option(keep, {
      env: ['SVC_NATS_WORKER_JWT_TTL'],
      default: '24h',
      about: 'how long the token of a worker is valid',
    }),
    natsRequireAuth: option(toggle, {
      env: ['SVC_NATS_REQUIRE_AUTH'],
      default: 'false',
      about: 'no bus without authentication',
    }),
    natsTlsCa: option(path, {
      env: ['SVC_NATS_TLS_CA'],
      about: 'authority of the bus',
    }),
    natsTlsCert: option(path, {
      env: ['SVC_NATS_TLS_CERT'],
      about: 'certificate towards the bus',
    }),
    natsTlsKey: option(path, {
      env: ['SVC_NATS_TLS_KEY'],
      about: 'its key',
    }),
    modelScheduling: option(text, {
      env: ['SVC_MODEL_SCHEDULING'],
      about: 'which model runs where, as JSON',
    }),
    modelSchedulingConfig: option(path, {
      env: ['SVC_MODEL_SCHEDULING_CONFIG'],
      about: 'the same as a file',
    }),
    exposeNodeHeader: option(toggle, {
      env: ['SVC_EXPOSE_NODE_HEADER'],
      default: 'false',
      about: 'name the worker in a header of each reply',
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

/**
 * Flags, variables and settings of features that this version does not have. Their defaults are accepted and anything
 * else is refused by name. An entry moves to its section when its feature is built.
 */
export const NOT_BUILT = [models, logs, agents, cluster] as const
