import { defineConfig } from 'drizzle-kit'

/** `npm run db:generate` writes a migration for what changed in the schema; the store applies migrations when it opens. */
export default defineConfig({
  dialect: 'sqlite',
  casing: 'snake_case',
  schema: './src/db/schema.ts',
  out: './drizzle',
})
