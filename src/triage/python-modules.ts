/** Modules that come with Python, by their first names: of today's and of those that went. */
const MODULES: ReadonlySet<string> = new Set(
  `__future__ __main__ _ast _collections_abc _ctypes _io _socket _sqlite3 _ssl _thread _typeshed _weakref _winapi abc aifc annotationlib antigravity
argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii binhex bisect builtins bz2 cProfile calendar cgi cgitb
chunk cmath cmd code codecs codeop collections colorsys compileall compression concurrent configparser contextlib contextvars copy copyreg
crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno faulthandler
fcntl filecmp fileinput fnmatch formatter fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib
heapq hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json keyword lib2to3 linecache locale logging
lzma macpath mailbox mailcap marshal math mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt ntpath
nturl2path numbers opcode operator optparse os ossaudiodev parser pathlib pdb pickle pickletools pip pipes pkgutil platform plistlib poplib
posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib resource
rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3
sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau symbol symtable sys sysconfig syslog
tabnanny tarfile telnetlib tempfile termios test textwrap this threading time timeit tkinter token tokenize tomllib trace traceback
tracemalloc tty turtle turtledemo types typing unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser winreg winsound
wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo
BaseHTTPServer ConfigParser Cookie HTMLParser Queue SimpleHTTPServer SocketServer StringIO Tkinter UserDict UserList UserString __builtin__
anydbm cPickle cStringIO commands cookielib copy_reg dummy_thread exceptions htmlentitydefs httplib md5 robotparser sets sha thread
tkFileDialog tkMessageBox urllib2 urlparse user xmlrpclib`.split(/\s+/),
);

/** `os` of `os.path`. Empty for what is relative. */
export const firstNameOf = (specifier: string): string => specifier.split(".")[0] ?? "";

export const isPythonsOwn = (specifier: string): boolean => MODULES.has(firstNameOf(specifier));
