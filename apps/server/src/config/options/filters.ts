import { defineSection, option, setting } from '../option.ts'
import { lines } from '../setting-kind.ts'
import { texts } from '../text-kind.ts'

export const filters = defineSection({
  heading: 'Filtering and interception',
  options: {
    piiDefaultDetectors: option(texts, {
      flag: 'pii-default-detectors',
      env: ['SVC_PII_DEFAULT_DETECTORS'],
      default: '',
      about: 'detector models of every filtered model that names none',
      setting: 'pii_default_detectors',
    }),
  },
  settings: {
    pii_default_detectors: setting(lines),
  },
})
