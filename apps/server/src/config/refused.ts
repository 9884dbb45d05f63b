import { defineSection, option, setting } from './option.ts'
import { path, webUrl } from './places.ts'
import { line } from './setting-kind.ts'
import { count, text } from './text-kind.ts'

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

/**
 * Flags, variables and settings that programs of this kind know and this server cannot have. Their defaults are accepted;
 * anything else is refused by name with the reason.
 */
export const REFUSED = [logs, agents] as const
