import { defineSection, setting } from '../../config/option.ts'
import { durationText, wholeCount } from '../../config/setting-kind.ts'

/** Bounds of realtime sessions. */
export const realtime = defineSection({
  heading: 'Realtime',
  options: {},
  settings: {
    realtime_max_sessions: setting(wholeCount, {
      default: 256,
      about: 'most realtime sessions of this server at once',
    }),
    realtime_max_sessions_per_account: setting(wholeCount, {
      default: 16,
      about: 'most realtime sessions of one account at once; 0 = no limit of its own',
    }),
    realtime_idle_timeout: setting(durationText, {
      default: '15m',
      about: 'time without an event or sound after which a realtime session ends; 0 = never',
    }),
  },
})
