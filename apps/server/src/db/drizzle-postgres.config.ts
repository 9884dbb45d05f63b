/** `npx drizzle-kit generate --config src/db/drizzle-postgres.config.ts` in apps/server writes the next migration. */
export default {
  dialect: 'postgresql',
  schema: ['./src/db/tables/*.ts', './src/api/**/table.ts'],
  out: './src/db/migrations/postgres',
}
