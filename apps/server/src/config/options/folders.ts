import { defineSection, option } from '../option.ts'
import { path } from '../places.ts'
import { keep, size, wait } from '../quantities.ts'

export const folders = defineSection({
  heading: 'Folders',
  options: {
    modelsPath: option(path, {
      flag: 'models-path',
      env: ['SVC_MODELS_PATH'],
      default: 'models',
      about: 'model files and their YAML',
    }),
    modelsConfigFile: option(path, {
      flag: 'models-config-file',
      env: ['SVC_MODELS_CONFIG_FILE'],
      about: 'one YAML file with a list of models beside those of the models folder, read again when it changes',
    }),
    backendsPath: option(path, {
      flag: 'backends-path',
      env: ['SVC_BACKENDS_PATH'],
      default: 'backends',
      about: 'installed backends',
    }),
    backendsSystemPath: option(path, {
      flag: 'backends-system-path',
      env: ['SVC_BACKENDS_SYSTEM_PATH'],
      default: '/usr/share/svc/backends',
      about: 'backends that came with the system, never written to',
    }),
    dataPath: option(path, {
      flag: 'data-path',
      env: ['SVC_DATA_PATH'],
      default: 'data',
      about: 'database and other state; one server each',
    }),
    configDir: option(path, {
      flag: 'config-dir',
      env: ['SVC_CONFIG_DIR'],
      default: 'configuration',
      about: 'runtime_settings.json, api_keys.json and external_backends.json, read again when they change',
    }),
    pricesFile: option(path, {
      flag: 'prices-file',
      env: ['SVC_PRICES_FILE'],
      shownDefault: 'prices.yaml in the configuration folder',
      about: 'YAML file with what models cost, read again when it changes',
    }),
    secretsPath: option(path, {
      flag: 'secrets-path',
      env: ['SVC_SECRETS_PATH'],
      shownDefault: 'secrets in the configuration folder',
      about: 'key files of upstreams that model files may name when they come over the API',
    }),
    generatedContentPath: option(path, {
      flag: 'generated-content-path',
      env: ['SVC_GENERATED_CONTENT_PATH'],
      shownDefault: 'generated in the data path',
      about: 'generated images, audio and video; backends write there',
    }),
    generatedContentKeepMs: option(keep, {
      flag: 'generated-content-keep',
      env: ['SVC_GENERATED_CONTENT_KEEP'],
      default: '720h',
      about: 'how long generated files are kept; 0 = no limit',
    }),
    generatedContentLimitBytes: option(size({ bare: 'MB' }), {
      flag: 'generated-content-limit',
      env: ['SVC_GENERATED_CONTENT_LIMIT'],
      default: '10GB',
      about: 'most bytes of generated files, the oldest go first; 0 = no limit',
    }),
    uploadPath: option(path, {
      flag: 'upload-path',
      env: ['SVC_UPLOAD_PATH'],
      shownDefault: 'tmp in the data path',
      about: 'temporary files of uploads; backends read them there',
    }),
    configDirPollIntervalMs: option(wait, {
      flag: 'config-dir-poll-interval',
      env: ['SVC_CONFIG_DIR_POLL_INTERVAL'],
      default: '0',
      about: 'also look for changes this often, where the file system tells of none; 0 = never',
    }),
  },
})
