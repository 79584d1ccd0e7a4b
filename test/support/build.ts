import { execFileSync } from 'node:child_process'

/** Tests that start the real program run what `npm run build` makes of the present source. */
export default function build(): void {
  if (process.env['WEIR_SKIP_BUILD'] === '1') return
  execFileSync('npx', ['tsdown', '--logLevel', 'error'], { stdio: 'inherit' })
}
