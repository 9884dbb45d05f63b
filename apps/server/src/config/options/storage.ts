import { defineSection, option } from '../option.ts'
import { databaseUrl } from '../places.ts'
import { toggle } from '../text-kind.ts'

export const storage = defineSection({
  heading: 'Settings and storage',
  options: {
    disableRuntimeSettings: option(toggle, {
      flag: 'disable-runtime-settings',
      env: ['SVC_DISABLE_RUNTIME_SETTINGS'],
      default: 'false',
      about: 'no settings over HTTP and no runtime_settings.json; the files of keys and backends are still read',
    }),
    authDatabaseUrl: option(databaseUrl, {
      flag: 'auth-database-url',
      env: ['SVC_AUTH_DATABASE_URL', 'DATABASE_URL'],
      shownDefault: 'database.db in the data path',
      about:
        'the database: postgres://…, the path of a SQLite file, or :memory: to keep accounts, usage and events only until the server ends; on network file systems use PostgreSQL',
      secret: true,
    }),
  },
})
