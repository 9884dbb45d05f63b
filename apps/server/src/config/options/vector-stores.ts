import { defineSection, option, setting } from '../option.ts'
import { onOff } from '../setting-kind.ts'
import { toggle } from '../text-kind.ts'

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
  },
})
