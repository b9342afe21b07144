/** Which modules come with Python, and which packages other modules come with. */

/** By their first names, of today's Python and of those that went; not those that a project is likelier to have itself. */
const MODULES: ReadonlySet<string> = new Set(
  `__future__ __main__ _ast _collections_abc _ctypes _io _socket _sqlite3 _ssl _thread _typeshed _weakref _winapi abc aifc annotationlib antigravity
argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii binhex bisect builtins bz2 cProfile calendar cgi cgitb
chunk cmath cmd code codecs codeop collections colorsys compileall compression concurrent configparser contextlib contextvars copy copyreg
crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno faulthandler
fcntl filecmp fileinput fnmatch fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib
heapq hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json keyword lib2to3 linecache locale logging
lzma macpath mailbox mailcap marshal math mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt ntpath
nturl2path numbers opcode operator optparse os ossaudiodev pathlib pdb pickle pickletools pip pipes pkgutil platform plistlib poplib
posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib resource
rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3
sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau symtable sys sysconfig syslog
tabnanny tarfile telnetlib tempfile termios textwrap this threading time timeit tkinter token tokenize tomllib trace traceback
tracemalloc tty turtle turtledemo types typing unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser winreg winsound
wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo
BaseHTTPServer ConfigParser Cookie HTMLParser Queue SimpleHTTPServer SocketServer StringIO Tkinter UserDict UserList UserString __builtin__
anydbm cPickle cStringIO cookielib copy_reg dummy_thread htmlentitydefs httplib md5 robotparser sha tkFileDialog tkMessageBox urllib2 urlparse xmlrpclib`.split(
    /\s+/,
  ),
);

/** `os` of `os.path`. Empty for what is relative. */
export const firstNameOf = (specifier: string): string => specifier.split(".")[0] ?? "";

export const isPythonsOwn = (specifier: string): boolean => MODULES.has(firstNameOf(specifier));

/** Names that files of a project have, too: what is called of these may be its own. */
const SHARED =
  /^(?:calendar|cmd|code|codecs|copy|email|html|http|numbers|operator|platform|profile|queue|resource|secrets|select|signal|site|statistics|string|token|trace|types)$/;

export const isPythonsAlone = (specifier: string): boolean =>
  isPythonsOwn(specifier) && !SHARED.test(firstNameOf(specifier));

/** Modules whose package is called something else, where nothing in its name tells. */
const PACKAGES: Readonly<Record<string, string>> = {
  attr: "attrs",
  bs4: "beautifulsoup4",
  crypto: "pycryptodome",
  cryptodome: "pycryptodomex",
  cv2: "opencv-python",
  dateutil: "python-dateutil",
  fitz: "pymupdf",
  git: "gitpython",
  gi: "pygobject",
  github: "pygithub",
  jose: "python-jose",
  mpl_toolkits: "matplotlib",
  mysqldb: "mysqlclient",
  pil: "pillow",
  pkg_resources: "setuptools",
  rest_framework: "djangorestframework",
  skimage: "scikit-image",
  sklearn: "scikit-learn",
  socks: "pysocks",
  win32api: "pywin32",
  win32con: "pywin32",
  yaml: "pyyaml",
};

/** As indexes of packages compare names. */
export const packageName = (name: string): string => name.toLowerCase().replaceAll(/[-_.]+/g, "-");

/** Whether one of the declared names may be the package of a module: errs towards yes. */
export function isDeclaredAs(module: string, declared: ReadonlySet<string>): boolean {
  const name = packageName(module);
  const other = PACKAGES[module.toLowerCase()];
  const likely = [
    name,
    `py${name}`,
    `py-${name}`,
    `python-${name}`,
    `${name}-python`,
    `django-${name}`,
    other,
  ];
  if (likely.some((one) => one !== undefined && declared.has(one))) return true;
  // `google` of google-cloud-storage, `psycopg2` of psycopg2-binary, `flask_login` of Flask-Login.
  return [...declared].some((one) => one.startsWith(`${name}-`) || one.startsWith(`${other ?? name}-`));
}
