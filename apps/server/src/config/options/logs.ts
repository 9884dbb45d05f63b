import { defineSection, option, setting } from '../option.ts'
import { loopbackAddress } from '../places.ts'
import { onOff } from '../setting-kind.ts'
import { choice, toggle } from '../text-kind.ts'

export const logs = defineSection({
  heading: 'Logs, metrics and profiling',
  options: {
    logLevel: option(choice('error', 'warn', 'info', 'debug', 'trace'), {
      flag: 'log-level',
      env: ['SVC_LOG_LEVEL'],
      default: 'info',
      about: 'what is logged',
    }),
    logFormat: option(choice('default', 'text', 'json'), {
      flag: 'log-format',
      env: ['SVC_LOG_FORMAT'],
      default: 'default',
      about: 'how it is logged: default = text at a terminal, JSON elsewhere',
    }),
    debug: option(toggle, {
      flag: 'debug',
      env: ['SVC_DEBUG'],
      default: 'false',
      about: 'the older way to write --log-level debug',
      setting: { debug: setting(onOff) },
    }),
    logDedup: option(choice('auto', 'true', 'false'), {
      flag: 'log-dedup-logs',
      env: ['SVC_LOG_DEDUP'],
      default: 'auto',
      about: 'fold equal lines that follow one another into one; auto = at a terminal',
    }),
    requestPhaseTiming: option(toggle, {
      flag: 'request-phase-timing',
      env: ['SVC_REQUEST_PHASE_TIMING'],
      default: 'false',
      about: 'log how long each phase of an inference request took',
    }),
    disableMetricsEndpoint: option(toggle, {
      flag: 'disable-metrics-endpoint',
      env: ['SVC_DISABLE_METRICS_ENDPOINT'],
      default: 'false',
      about: 'no /metrics',
    }),
    metricsAccess: option(choice('admin', 'any'), {
      env: ['SVC_METRICS_ACCESS'],
      default: 'admin',
      about: 'who may read /metrics: administrators, or everybody who has a key',
    }),
    pprof: option(toggle, {
      flag: 'pprof',
      env: ['SVC_PPROF'],
      default: 'false',
      about: 'listen for profiling requests',
    }),
    pprofAddress: option(loopbackAddress, {
      flag: 'pprof-address',
      default: '127.0.0.1:6060',
      about: 'where profiling requests are taken',
    }),
  },
  settings: {
    enable_backend_logging: setting(onOff, { default: true, fileFirst: true, about: 'keep the output of backends' }),
  },
})
