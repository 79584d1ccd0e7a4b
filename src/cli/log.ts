import { type Logger, pino } from 'pino'
import { isDamage } from '../db/open.ts'
import type { ErrorLog } from '../server/client-error.ts'
import type { Config } from './config.ts'

let log: Logger | null = null

/** The log of this process, as JSON lines on stderr; `WEIR_LOG` sets its level. */
export function logTo({ logLevel }: Pick<Config, 'logLevel'>): Logger {
  log ??= pino({ level: logLevel }, pino.destination(2))
  return log
}

/** The log of a command that ends at an error: of a damaged store the command says all that there is to say. */
export const commandLog = (config: Pick<Config, 'logLevel'>): ErrorLog => ({
  error(details, message) {
    if (!('err' in details && isDamage(details.err))) logTo(config).error(details, message)
  },
})
