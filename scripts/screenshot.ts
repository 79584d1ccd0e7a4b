/** `npx tsx scripts/screenshot.ts URL`: takes the picture of GraphiQL that README shows, from a running `weir serve --or-demo`. */
import { chromium } from 'playwright-core'

const url = process.argv[2] ?? 'http://127.0.0.1:4680/graphql'
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
})
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
await page.goto(url)
await page.getByRole('button', { name: /execute query/i }).click()
await page.getByRole('menuitem', { name: 'NewestSessions' }).click()
await page.waitForTimeout(2500)
await page.screenshot({ path: 'docs/images/graphiql.png' })
await browser.close()
