import { defineSection, option, setting } from '../option.ts'
import { size } from '../quantities.ts'
import { line, onOff } from '../setting-kind.ts'
import { text, toggle } from '../text-kind.ts'

export const vectorStores = defineSection({
  heading: 'Vector stores',
  options: {
    storesPersist: option(toggle, {
      flag: 'stores-persist',
      env: ['SVC_STORES_PERSIST'],
      default: 'false',
      about:
        'vector stores are kept in the data path over a restart; turning this off while the server runs removes their files',
      setting: { stores_persist: setting(onOff) },
    }),
    vectorStoreModel: option(text, {
      flag: 'vector-store-model',
      env: ['SVC_VECTOR_STORE_MODEL'],
      default: '',
      shownDefault: 'the first model on this machine that makes embeddings',
      about: 'model that embeds the files of new vector stores that name none',
      setting: { vector_store_model: setting(line) },
    }),
    uploadedFilesLimitBytes: option(size({ bare: 'MB' }), {
      flag: 'uploaded-files-limit',
      env: ['SVC_UPLOADED_FILES_LIMIT'],
      default: '10GB',
      about: 'most bytes of the files that one account has uploaded at /v1/files; 0 = no limit',
    }),
  },
})
