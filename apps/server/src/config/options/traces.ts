import { defineSection, option, setting } from '../option.ts'
import { keep } from '../quantities.ts'
import { durationText } from '../setting-kind.ts'

export const traces = defineSection({
  heading: 'Traces and stored replies',
  options: {
    openResponsesStoreTtlMs: option(keep, {
      flag: 'open-responses-store-ttl',
      env: ['SVC_OPEN_RESPONSES_STORE_TTL'],
      default: '720h',
      about: 'how long stored responses are kept; 0 = no limit in time',
      setting: 'open_responses_store_ttl',
    }),
  },
  settings: {
    open_responses_store_ttl: setting(durationText),
  },
})
