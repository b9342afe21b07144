// Packages whose published files are their source: no bundles. One set to develop the rules on, one to report on;
// no rule may be tuned on the second.
export const DEVELOP = `express koa fastify commander yargs debug semver minimist glob minimatch rimraf ws qs body-parser cookie
send serve-static morgan async bluebird winston logform pino superagent node-fetch form-data mime-types accepts negotiator
type-is content-type finalhandler router multer passport jsonwebtoken jws uuid dotenv nconf convict cors helmet compression
express-session cookie-session on-headers raw-body http-errors http-proxy connect formidable busboy find-my-way avvio light-my-request
fast-json-stringify secure-json-parse content-disposition proxy-addr forwarded ipaddr.js range-parser statuses depd
readable-stream through2 split2 pump end-of-stream duplexify concat-stream bl tar-stream tar-fs archiver`;

export const REPORT = `mocha chai sinon eslint webpack tapable enhanced-resolve loader-utils schema-utils css-loader style-loader postcss
autoprefixer postcss-loader browserslist pug ejs handlebars nunjucks markdown-it jsdom parse5 cheerio
htmlparser2 knex pg pg-pool pg-protocol mysql2 redis ioredis bull node-cron cron-parser validator joi ajv nodemailer yauzl
supertest nock sinon-chai proxyquire lru-cache nodemon chokidar anymatch micromatch braces fill-range picomatch
resolve is-core-module object-inspect side-channel call-bind get-intrinsic tape levelup abstract-leveldown
mongodb mongoose socket.io engine.io socket.io-parser grunt gulp vinyl vinyl-fs inquirer ora execa fs-extra graceful-fs jsonfile
source-map-support acorn-walk espree eslint-plugin-import eslint-plugin-n eslint-plugin-react eslint-scope esquery estraverse
request-promise-core node-gyp nopt which write-file-atomic cacache pacote npm-package-arg hosted-git-info normalize-package-data`;

export const namesIn = (list) => list.split(/\s+/).filter(Boolean);
