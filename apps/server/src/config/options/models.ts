import { defineSection, option, setting } from '../option.ts'
import { wait } from '../quantities.ts'
import { line, onOff, wholeNumber } from '../setting-kind.ts'
import { choice, integer, positive, text, texts, toggle } from '../text-kind.ts'

export const models = defineSection({
  heading: 'Models',
  options: {
    demoModel: option(choice('auto', 'true', 'false'), {
      env: ['SVC_DEMO_MODEL'],
      default: 'auto',
      about:
        'list the embedded demo models: auto = each while no other model does its work; false = they are not there, by name neither',
    }),
    defaultModel: option(text, {
      flag: 'default-model',
      env: ['SVC_DEFAULT_MODEL'],
      default: '',
      shownDefault: 'the first one that can serve',
      about: 'model of new chats and of requests that name none, where it can serve them',
      setting: { default_model: setting(line) },
    }),
    threads: option(integer({ min: 0, max: 4096 }), {
      flag: 'threads',
      short: 't',
      env: ['SVC_THREADS'],
      default: '0',
      shownDefault: 'the physical cores less one (0)',
      about: 'threads of a model that names none itself',
      setting: { threads: setting(wholeNumber({ min: 0, max: 4096 })) },
    }),
    contextSize: option(integer({ min: -1, max: 2_147_483_647 }), {
      flag: 'context-size',
      env: ['SVC_CONTEXT_SIZE'],
      default: '-1',
      about: 'context of a model that names none itself, in tokens; -1 = what it was trained for',
      setting: { context_size: setting(wholeNumber({ min: -1, max: 2_147_483_647 })) },
    }),
    f16: option(toggle, {
      flag: 'f16',
      env: ['SVC_F16'],
      default: 'false',
      about: 'half-precision numbers where a backend knows them',
      setting: { f16: setting(onOff) },
    }),
    maxConcurrentBackendRequests: option(positive, {
      flag: 'max-concurrent-backend-requests',
      env: ['SVC_MAX_CONCURRENT_BACKEND_REQUESTS'],
      default: '1024',
      about: 'inference requests at a time in the whole server; more are answered 429',
    }),
    modelLoadWaitMs: option(wait, {
      flag: 'model-load-wait',
      env: ['SVC_MODEL_LOAD_WAIT'],
      default: '60s',
      about: 'how long a request waits for its model to load; 0 = for ever',
    }),
    modelLoadFailureCooldownMs: option(wait, {
      flag: 'model-load-failure-cooldown',
      env: ['SVC_MODEL_LOAD_FAILURE_COOLDOWN'],
      default: '10s',
      about: 'pause after a failed load, doubled up to 5 minutes; 0 = none',
    }),
    loadToMemory: option(texts, {
      flag: 'load-to-memory',
      env: ['SVC_LOAD_TO_MEMORY'],
      default: '',
      about: 'models to load at start',
    }),
  },
})
