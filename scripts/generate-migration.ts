/**
 * `npm run db:generate -- --name what-changed`: lets drizzle-kit write the migration for what changed in the schema, then says of tables
 * with a composite key that they are trees by that key, which drizzle-kit can't.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

const before = new Set(readdirSync('drizzle'))
execFileSync('npx', ['drizzle-kit', 'generate', ...process.argv.slice(2)], { stdio: 'inherit' })

for (const name of readdirSync('drizzle')) {
  if (before.has(name) || !name.endsWith('.sql')) continue
  const statements = readFileSync(`drizzle/${name}`, 'utf8').split('--> statement-breakpoint')
  const rewritten = statements.map((statement) =>
    /CREATE TABLE/.test(statement) && /\n\tPRIMARY KEY\(`/.test(statement)
      ? statement.replace(/\);\s*$/, ') WITHOUT ROWID;\n')
      : statement,
  )
  writeFileSync(`drizzle/${name}`, rewritten.join('--> statement-breakpoint'))
}
