import { defineSection, option, setting } from '../option.ts'
import { keep, size } from '../quantities.ts'
import { durationText, onOff, wholeNumber } from '../setting-kind.ts'
import { integer, toggle } from '../text-kind.ts'

const MAX_ITEMS = 100_000
const MAX_BODY_BYTES = 4 * 1024 * 1024

export const traces = defineSection({
  heading: 'Traces and stored replies',
  options: {
    enableTracing: option(toggle, {
      flag: 'enable-tracing',
      env: ['SVC_ENABLE_TRACING'],
      default: 'false',
      about: 'keep a trace of each inference request and of each call to a backend',
      setting: { enable_tracing: setting(onOff) },
    }),
    tracingMaxItems: option(integer({ min: 0, max: MAX_ITEMS }), {
      flag: 'tracing-max-items',
      env: ['SVC_TRACING_MAX_ITEMS'],
      default: '1024',
      about: 'traces that are listed, of requests and of calls each',
      setting: { tracing_max_items: setting(wholeNumber({ min: 0, max: MAX_ITEMS })) },
    }),
    tracingMaxBodyBytes: option(size({ bare: 'bytes', max: MAX_BODY_BYTES }), {
      flag: 'tracing-max-body-bytes',
      env: ['SVC_TRACING_MAX_BODY_BYTES'],
      default: '65536',
      about: 'longest part of a body in a trace; 0 = no bodies',
      setting: { tracing_max_body_bytes: setting(wholeNumber({ min: 0, max: MAX_BODY_BYTES }), { fileFirst: true }) },
    }),
    openResponsesStoreTtlMs: option(keep, {
      flag: 'open-responses-store-ttl',
      env: ['SVC_OPEN_RESPONSES_STORE_TTL'],
      default: '720h',
      about: 'how long stored responses are kept; 0 = no limit in time',
      setting: { open_responses_store_ttl: setting(durationText) },
    }),
  },
})
