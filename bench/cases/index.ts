import type { Case } from '../lib/case.ts'
import { nothingChanged } from './nothing-changed.ts'
import { reprojection } from './reprojection.ts'
import { storeSize } from './store-size.ts'

export const cases: readonly Case[] = [nothingChanged, reprojection, storeSize]
