/** `npx drizzle-kit generate --config src/db/drizzle-sqlite.config.ts` in apps/server writes the next migration. */
export default {
  dialect: 'sqlite',
  schema: ['./src/db/tables/*.ts', './src/api/**/table.ts'],
  out: './src/db/migrations/sqlite',
}
