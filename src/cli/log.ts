import { type Logger, pino } from 'pino'
import type { Config } from './config.ts'

let log: Logger | null = null

/** The log of this process, as JSON lines on stderr; `WEIR_LOG` sets its level. */
export function logTo({ logLevel }: Pick<Config, 'logLevel'>): Logger {
  log ??= pino({ level: logLevel }, pino.destination(2))
  return log
}
