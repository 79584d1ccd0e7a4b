import type { Case } from '../lib/case.ts'
import { firstImport } from './first-import.ts'
import { hugeFile } from './huge-file.ts'
import { nothingChanged } from './nothing-changed.ts'
import { oneLine } from './one-line.ts'
import { oneNewPart } from './one-new-part.ts'
import { deepPage, nested, pageOfParts } from './pages.ts'
import { reprojection } from './reprojection.ts'
import { latency, memory, start } from './server.ts'
import { storeSize } from './store-size.ts'

export const cases: readonly Case[] = [
  firstImport,
  nothingChanged,
  oneLine,
  oneNewPart,
  pageOfParts,
  nested,
  deepPage,
  reprojection,
  storeSize,
  latency,
  memory,
  start,
  hugeFile,
]
