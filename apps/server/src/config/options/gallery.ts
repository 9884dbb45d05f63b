import type * as z from 'zod'
import { defineSection, option, setting } from '../option.ts'
import { path, webUrl } from '../places.ts'
import { galleries, onOff, wholeNumber } from '../setting-kind.ts'
import { positive, readWith, TEXT_FORMS, text, texts, toggle } from '../text-kind.ts'

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
      setting: { galleries: setting(galleries) },
    }),
    autoloadGalleries: option(toggle, {
      flag: 'autoload-galleries',
      env: ['SVC_AUTOLOAD_GALLERIES'],
      default: 'true',
      about: 'fetch the model galleries at start',
      setting: { autoload_galleries: setting(onOff) },
    }),
    backendGalleries: option(galleryList, {
      flag: 'backend-galleries',
      env: ['SVC_BACKEND_GALLERIES'],
      default: '[]',
      about: 'backend galleries, as a JSON list of objects with name, url and mirrors',
      setting: { backend_galleries: setting(galleries) },
    }),
    autoloadBackendGalleries: option(toggle, {
      flag: 'autoload-backend-galleries',
      env: ['SVC_AUTOLOAD_BACKEND_GALLERIES'],
      default: 'true',
      about: 'fetch the backend galleries at start',
      setting: { autoload_backend_galleries: setting(onOff) },
    }),
    externalBackends: option(texts, {
      flag: 'external-backends',
      env: ['SVC_EXTERNAL_BACKENDS'],
      default: '',
      about: 'backends to install from a gallery at start',
    }),
    requireBackendIntegrity: option(toggle, {
      flag: 'require-backend-integrity',
      env: ['SVC_REQUIRE_BACKEND_INTEGRITY'],
      default: 'false',
      about: 'refuse backends whose gallery names no signer',
    }),
    sigstoreTrustedRoot: option(path, {
      flag: 'sigstore-trusted-root',
      env: ['SVC_SIGSTORE_TRUSTED_ROOT'],
      about: 'authorities of signatures: a trusted_root.json file of Sigstore',
    }),
    backendImagesReleaseTag: option(text, {
      flag: 'backend-images-release-tag',
      env: ['SVC_BACKEND_IMAGES_RELEASE_TAG'],
      default: 'latest',
      about: 'tag of released backend images',
    }),
    backendImagesBranchTag: option(text, {
      flag: 'backend-images-branch-tag',
      env: ['SVC_BACKEND_IMAGES_BRANCH_TAG'],
      default: 'master',
      about: 'tag of backend images built from a branch',
    }),
    backendDevSuffix: option(text, {
      flag: 'backend-dev-suffix',
      env: ['SVC_BACKEND_DEV_SUFFIX'],
      default: 'development',
      about: 'suffix of development backends',
    }),
    autoUpgradeBackends: option(toggle, {
      flag: 'auto-upgrade-backends',
      env: ['SVC_AUTO_UPGRADE_BACKENDS'],
      default: 'false',
      about: 'install newer versions of backends',
      setting: { auto_upgrade_backends: setting(onOff) },
    }),
    preferDevelopmentBackends: option(toggle, {
      flag: 'prefer-development-backends',
      env: ['SVC_PREFER_DEV_BACKENDS'],
      default: 'false',
      about: 'prefer development versions of backends',
      setting: { prefer_development_backends: setting(onOff) },
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
      setting: { artifact_download_concurrency: setting(wholeNumber({ min: 1, max: 1_000_000 })) },
    }),
    downloadParts: option(positive, {
      flag: 'download-parts',
      env: ['SVC_DOWNLOAD_PARTS'],
      default: '4',
      about: 'parts of one large file that are downloaded at a time, 1 for none',
    }),
    disablePredownloadScan: option(toggle, {
      flag: 'disable-predownload-scan',
      env: ['SVC_DISABLE_PREDOWNLOAD_SCAN'],
      default: 'false',
      about: 'no check of files before they are downloaded',
    }),
    models: option(texts, {
      flag: 'models',
      env: ['SVC_MODELS'],
      default: '',
      about: 'models to install and load at start, also as arguments',
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
    preloadBackendOnly: option(toggle, {
      flag: 'preload-backend-only',
      env: ['SVC_PRELOAD_BACKEND_ONLY'],
      default: 'false',
      about: 'install what is to be installed at start, and end without an API',
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
})
