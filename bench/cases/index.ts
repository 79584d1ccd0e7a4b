import type { Case } from '../lib/case.ts'
import { firstImport } from './first-import.ts'
import { nothingChanged } from './nothing-changed.ts'
import { oneNewPart } from './one-new-part.ts'
import { deepPage, nested, pageOfParts } from './pages.ts'
import { reprojection } from './reprojection.ts'
import { latency, memory, start } from './server.ts'
import { storeSize } from './store-size.ts'

export const cases: readonly Case[] = [
  firstImport,
  nothingChanged,
  oneNewPart,
  pageOfParts,
  nested,
  deepPage,
  reprojection,
  storeSize,
  latency,
  memory,
  start,
]
