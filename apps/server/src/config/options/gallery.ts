import type * as z from 'zod'
import { defineSection, option, setting } from '../option.ts'
import { path, webUrl } from '../places.ts'
import { galleries, onOff, wholeNumber } from '../setting-kind.ts'
import { positive, readWith, TEXT_FORMS, text, toggle } from '../text-kind.ts'

type Galleries = z.output<typeof galleries>

/** Galleries as a JSON list on the command line. */
const galleryList = readWith((value): Galleries | undefined => {
  try {
    return galleries.safeParse(JSON.parse(value)).data
  } catch {
    return undefined
  }
}).register(TEXT_FORMS, { placeholder: 'JSON', form: 'a JSON list of objects with url and name', shape: 'single' })

export const gallery = defineSection({
  heading: 'Galleries and downloads',
  options: {
    galleries: option(galleryList, {
      flag: 'galleries',
      env: ['SVC_GALLERIES'],
      default: '[]',
      about: 'model galleries, as a JSON list of objects with name, url and mirrors',
      setting: 'galleries',
    }),
    autoloadGalleries: option(toggle, {
      flag: 'autoload-galleries',
      env: ['SVC_AUTOLOAD_GALLERIES'],
      default: 'true',
      about: 'fetch the model galleries at start',
      setting: 'autoload_galleries',
    }),
    disableGalleryEndpoint: option(toggle, {
      flag: 'disable-gallery-endpoint',
      env: ['SVC_DISABLE_GALLERY_ENDPOINT'],
      default: 'false',
      about: 'no gallery routes',
    }),
    artifactDownloadConcurrency: option(positive, {
      flag: 'artifact-download-concurrency',
      env: ['SVC_ARTIFACT_DOWNLOAD_CONCURRENCY'],
      default: '1',
      about: 'files of one model that are downloaded at a time',
      setting: 'artifact_download_concurrency',
    }),
    disablePredownloadScan: option(toggle, {
      flag: 'disable-predownload-scan',
      env: ['SVC_DISABLE_PREDOWNLOAD_SCAN'],
      default: 'false',
      about: 'no check of files before they are downloaded',
    }),
    preloadModels: option(text, {
      flag: 'preload-models',
      env: ['SVC_PRELOAD_MODELS'],
      about: 'models to install at start, as a JSON list of objects with id, name and overrides',
    }),
    preloadModelsConfig: option(path, {
      flag: 'preload-models-config',
      env: ['SVC_PRELOAD_MODELS_CONFIG'],
      about: 'models to install at start, as a YAML file with the same list',
    }),
    vramPersistentCache: option(toggle, {
      flag: 'vram-persistent-cache',
      default: 'true',
      about: 'remember the sizes of gallery models from one start to the next',
    }),
    credentialsFile: option(path, {
      flag: 'credentials-file',
      about: 'credentials for other services: a JSON object of hosts with a token, or with username and password',
    }),
    hubUrl: option(webUrl, {
      env: ['HF_ENDPOINT', 'HF_MIRROR'],
      shownDefault: 'the public hub',
      about: 'model hub of addresses that begin with huggingface://',
    }),
    hubToken: option(text, {
      env: ['HF_TOKEN'],
      secret: true,
      about: 'token that is sent to the model hub alone',
    }),
    codeHostRawUrl: option(webUrl, {
      env: ['CODEHOST_RAW_URL'],
      shownDefault: 'the public host',
      about: 'raw files of the code host, for addresses that begin with github:',
    }),
  },
  settings: {
    artifact_download_concurrency: setting(wholeNumber({ min: 1, max: 1_000_000 })),
    galleries: setting(galleries),
    autoload_galleries: setting(onOff),
  },
})
